#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "gate/verdict/timing/experiment.h"

// One kernel, timed on the fake device of tests/runner/fake_runner.cpp.
struct ExperimentBench {
  int memory = 1 << 20;
  double ratio = 1;
  std::string fields;  // further fields of the device, ":KEY=VALUE" each
  int candidate_scratch = 0, base_scratch = 0;
  int cases = 1;
  std::int64_t shards = 1;  // of which this is one
  bool alone = false;
  std::vector<std::string> against{"base"};
  std::string references = "b";  // the machine code of each; "toolkit" is compared with the one before it
  bool recorded = false;         // the accepted version is what the ledger recorded
  kgate::trust::Budget budget;
  kgate::stats::Zone zone;
  kgate::verdict::Watch* watch = nullptr;
  bool checked = false;  // samples are checked: "y" is what the device shows of it

  kgate::verdict::TimedKernel time() const { return time_all(1).front(); }
  // So many kernels in one suite, all alike.
  std::vector<kgate::verdict::TimedKernel> time_all(int kernels) const;
  kgate::verdict::Subject subject() const;
  // What the device was asked, line by line: "child", "batch BLOCKS stretch MS", "fresh BLOCKS stretch 0".
  std::vector<std::string> asked() const;

 private:
  kgate::TemporaryFolder folder_{"kgate-experiment"};
};

// A GPU whose clock moves with every question, with a process of ours, number 77, and python3 beside it.
struct FakeGpu {
  double seconds = 0;
  double busy_until_s = 0;  // python3 uses 37 % until then
  std::vector<std::string> throttle_reasons;

  kgate::verdict::WatchOptions options();
};
