#pragma once

#include <vector>

#include "gate/verdict/check/long_steps.h"
#include "gate/verdict/check/worker.h"
#include "gate/verdict/compilation.h"
#include "gate/verdict/run_state.h"

namespace kgate::verdict {

// Correctness of all kernels, several at once, each as soon as its code is there; then what will be timed answers on
// the further inputs of timing.
class CheckPhase {
 public:
  explicit CheckPhase(RunState& state);

  std::size_t workers() const { return workers_; }
  void run(Compilation& code);

 private:
  void start_processes();
  void check(std::size_t subject, unsigned worker, LongSteps& running);

  RunState& state_;
  std::size_t workers_;
  std::vector<CheckProcess> trusted_, candidates_;  // one of each a worker
};

}  // namespace kgate::verdict
