#pragma once

#include <cstdint>
#include <string>

#include "gate/verdict/compile/compiler.h"
#include "gate/verdict/subject/subject.h"
#include "runner/client.h"

namespace kgate::verdict {

// One case of a subject's candidate, once, in a child of its own under an observer (compute-sanitizer, Nsight Compute).
struct ObservedRun {
  const Subject* subject = nullptr;
  const cases::CaseSpec* one = nullptr;
  Artifact code;
  runner::ClientOptions child;  // with its observer; weaker than the other children by design, not weaker than that
  std::uint64_t seed = 0;       // of the run
  unsigned threads = 1;         // for making inputs
  // Seconds for the observer to start the child; for the kernel, which is far slower than by itself; for the observer
  // to write its report.
  double start_limit_s = 120, run_limit_s = 600, end_limit_s = 120;
};

// What went wrong, with the kernel, the child or the observer; empty: nothing. Outputs are not looked at. Throws Error
// for what is neither.
std::string run_observed(const ObservedRun& run);

}  // namespace kgate::verdict
