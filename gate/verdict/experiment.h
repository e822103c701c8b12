#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gate/stats/decision.h"
#include "gate/trust/policy.h"
#include "gate/verdict/compiler.h"
#include "gate/verdict/result.h"
#include "gate/verdict/subject.h"

namespace kgate::verdict {

// Hands out processes with an open device. Some are always being made ahead, so that their start (0.25 s on an H200,
// more than most measurements) overlaps what the others do.
class ChildPool {
 public:
  ChildPool(runner::ClientOptions options, std::size_t ahead);
  runner::Client take();

 private:
  runner::ClientOptions options_;
  std::size_t wanted_;
  std::deque<runner::Client> ahead_;
};

struct TimeOptions {
  std::string backend;
  std::uint64_t seed = 0;
  unsigned threads = 1;
  std::uint64_t pool_bytes = 0;
  trust::Budget budget;
  // Kernels of one suite share a process a round; else each has its own. Sharing saves the start of a context (0.25 s
  // on an H200, and contexts start one after the other) for every kernel and round; a kernel that fails takes the
  // process with it, and the next gets a fresh one.
  bool share_processes = true;
  std::function<void(const std::string& kernel, const std::string& one)> on_case;  // progress
};

struct TimeJob {
  const Subject* subject = nullptr;
  Artifact candidate, base;
  trust::Zone zone;  // of this kernel
};

struct TimedCase {
  std::string name;
  Verdict verdict = Verdict::inconclusive;  // pass, faster, regressed, inconclusive; wrong where the candidate fails
                                            // while it is timed
  std::string reason;
  Timing timing;
  bool moved = true;  // false: the pool could not hold the buffers, so that they stayed at one place
  std::vector<std::vector<std::vector<double>>> us;  // [round][arm][block]; arm 0 is the candidate, arm 1 the base
};

struct TimedKernel {
  std::vector<TimedCase> cases;
  std::string
      failure;  // the machine failed while this kernel was timed: `environment`, with this reason; empty: it did not
};

// Times every candidate beside its base, case by case, in rounds of fresh processes, until stats::decide answers or the
// budget ends. A suspected regression is confirmed in one more round. Results in the order of the jobs.
std::vector<TimedKernel> time_suite(const std::vector<TimeJob>& jobs, const TimeOptions& options, ChildPool& children);

}  // namespace kgate::verdict
