#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runner/cuda/driver.h"

// A CUDA driver in a few hundred lines: memory is the host's, kernels are functions of the test, time is a number that
// each operation moves on. It does what the real one would with streams, graphs and events, counts what is alive, and
// fails where it is told to.
namespace kgate::test {

struct FakeKernel {
  std::vector<std::size_t> parameters;  // sizes in bytes
  double us = 5;                        // how long a launch takes
  std::function<void(void** parameters)> action;
  int registers = 32, static_shared = 0, local = 0, block_threads = 1024;
  CUresult fault = CUDA_SUCCESS;  // what the next synchronisation reports once it has run
};

struct FakeLaunch {
  std::string kernel;
  CUlaunchConfig config{};
  std::vector<CUlaunchAttribute> attributes;
};

class FakeDriver {
 public:
  FakeDriver();
  ~FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  // The table to hand to the backend. One FakeDriver at a time can be in use.
  runner::cuda::Driver table();

  std::map<std::string, FakeKernel> kernels;
  std::vector<FakeLaunch> launches;
  // What the device did, in order, where it is asked for: "scale", "copy 4096", "set 4096", "event".
  bool keep_log = false;
  std::vector<std::string> log;
  std::uint64_t memory_bytes = 64ull << 20;  // of the device
  int devices = 1, major = 9, minor = 0;
  int l2_bytes = 1 << 20;
  bool parameter_info = true;  // cuFuncGetParamInfo exists

  // The call with this number (from 0, destroying and freeing not counted) fails with `failure`.
  long fail_at = -1;
  CUresult failure = CUDA_ERROR_UNKNOWN;
  long calls = 0;
  std::string failed_call;
  // Every call of this name fails with `failure`.
  std::string failing;

  // Successes that are none.
  std::optional<float> elapsed_ms;           // between any two events
  bool null_memory = false;                  // cuMemAlloc gives address 0
  std::optional<std::uint64_t> total_bytes;  // of the device's memory, as it says
  int multiprocessors = 4;

  // What was made and not destroyed: "memory", "pinned", "stream", "event", "graph", "executable", "module", "context".
  std::map<std::string, long> alive() const;
  std::uint64_t allocated() const;
  double now() const;

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace kgate::test
