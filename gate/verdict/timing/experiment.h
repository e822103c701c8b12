#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "gate/verdict/result/attribution.h"
#include "gate/verdict/timing/case_experiment.h"
#include "runner/client.h"

namespace kgate::verdict {

// Hands out processes with an open device. Some are always being made ahead, so that their start (0.25 s on an H200,
// more than most measurements) overlaps what the others do.
class ChildPool {
 public:
  ChildPool(runner::ClientOptions options, std::size_t ahead);
  runner::Client take();
  // Starts what the next take() hands out.
  void start();

 private:
  runner::ClientOptions options_;
  std::size_t wanted_;
  std::deque<runner::Client> ahead_;
};

struct TimedKernel {
  std::vector<TimedCase> cases;
  Attribution parts;  // what of it is which cause's doing, but for the machine's
  // The machine failed twice while this kernel was timed: `environment`, with this reason; empty: it did not.
  std::string failure;
  std::vector<std::string> warnings;  // what was tried twice, and went well the second time
};

// Times every candidate beside its references, case by case, in rounds of fresh processes, until the rule answers or
// the budget ends; the most doubtful cases first. A suspected regression is confirmed in one more round. What was
// disturbed from outside is measured again, and so is, once, what a failure of the machine or the end of a process cut
// off. Results in the order of the jobs.
std::vector<TimedKernel> time_suite(const std::vector<TimeJob>& jobs, const TimeOptions& options, ChildPool& children);

}  // namespace kgate::verdict
