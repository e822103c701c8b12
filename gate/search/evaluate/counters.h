#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "fingerprint/nsight_compute.h"
#include "gate/verdict/compile/compiler.h"
#include "gate/verdict/subject/subject.h"
#include "runner/client.h"

namespace kgate::search {

struct CountOptions {
  fingerprint::NsightCompute program;
  runner::ClientOptions child;  // its observer is set here
  bool needs_landlock = false;  // the policy wants every child under it, as one under an observer cannot be
  std::uint64_t seed = 0;       // of the inputs
  unsigned threads = 1;         // for making them
  std::filesystem::path scratch;
  std::size_t cases = 2;  // the first so many performance cases
  // Seconds for the tool to start the child; for a case, whose kernels are replayed a dozen times; for the tool to end.
  double start_limit_s = 60, run_limit_s = 120, end_limit_s = 60;
};

// What a version waits for by the GPU's performance counters, or why they were not read.
struct Counted {
  std::string text;     // for a proposer; empty: there is none
  std::string why_not;  // one clause, with the remedy where there is one
  double gpu_s = 0;     // how long the device was in use for it
};

// Why counters cannot be read, before anything is started; empty: they may be.
std::string obstacle_to_counting(const CountOptions& options);

// Runs the version's performance cases once each under Nsight Compute, each in a child of its own, and puts its
// counters into words (gate/counters). Whatever goes wrong with the tool is in the answer; throws Error(interrupted)
// alone.
Counted count(const verdict::Subject& subject, const verdict::Artifact& code, const CountOptions& options);

}  // namespace kgate::search
