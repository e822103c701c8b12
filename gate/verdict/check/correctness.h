#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gate/verdict/check/worker.h"
#include "gate/verdict/compile/compiler.h"
#include "gate/verdict/result/result.h"
#include "gate/verdict/subject/subject.h"

namespace kgate::verdict {

// A case that the candidate passed, with what was at hand for it.
struct PassedCase {
  const cases::CaseSpec& spec;
  const CaseInputs& inputs;
  Outputs expected;  // the reference's; none where files have them all
  Outputs candidate;
};

struct CheckOptions {
  runner::ClientOptions child;
  std::uint64_t seed = 0;                           // of the run
  unsigned threads = 1;                             // for making inputs
  double run_limit_s = 60;                          // a kernel that takes longer hangs
  std::function<void(const std::string&)> on_case;  // progress; may be empty
  std::function<void(PassedCase)> on_passed;        // may be empty
};

struct CheckJob {
  const Subject* subject = nullptr;
  CheckProcess* trusted = nullptr;  // for references and base versions: code that reviewers let in
  CheckProcess* own =
      nullptr;  // for candidates; where it has served another before, what it finds wrong is confirmed in a fresh one
  Artifact candidate, reference,
      base;  // reference: null where cases bring their expected outputs; base: null where not wanted
};

struct KernelCheck {
  std::vector<CaseResult> cases;  // those that run on this backend; verdicts pass, wrong or environment
  std::map<std::string, runner::Resources> candidate, base;  // by entry
  std::vector<std::string> warnings;                         // what was tried twice, and went well the second time
};

// Runs the reference in one process (`trusted`) and the candidate in another, on the same fresh inputs, and compares
// the outputs here: the candidate's process never holds an expected value. The candidate runs twice, on outputs
// poisoned with two patterns: what it did not write, what it wrote out of bounds, changed inputs, and outputs that
// differ between the two runs are `wrong`. A candidate that crashes (twice: second_try.h) or hangs is `wrong` and its
// process replaced; processes serve several kernels one after the other. A reference that fails is `environment`: the
// machine's or the cases' fault, never the candidate's. Throws Error(environment) where the machine fails twice.
KernelCheck check_kernel(const CheckJob& job, const CheckOptions& options);

}  // namespace kgate::verdict
