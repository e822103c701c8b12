#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "gate/verdict/check/worker.h"

namespace kgate::verdict {

// One run of a version on a case.
struct RunJob {
  const cases::Binding& binding;
  const CaseInputs& inputs;
  const std::vector<OutputParam>& outputs;
  std::uint8_t poison = 0;
  double limit_s = 60;
};

// Runs once, and once more in a fresh process where the first run ended in a way that need not be the kernel's doing:
// its process ended, or the machine failed. Where the second ends so too, a control decides: the same buffers and
// inputs, in a fresh process without the kernel. What is the kernel's doing comes back as the report's fault; the
// machine's is Error(environment) and says "tried twice". A second run that went well leaves a line in `notes`.
Worker::Ran run_with_second_try(Worker& worker, const RunJob& job, const runner::ClientOptions& child,
                                std::vector<std::string>& notes);

// The second failure of two, the first of which said `first`.
Error tried_twice(const Error& second, const std::string& first);

}  // namespace kgate::verdict
