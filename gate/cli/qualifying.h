#pragma once

#include <optional>

#include "gate/cli/verbs.h"
#include "gate/verdict/qualify/qualify.h"
#include "runner/scratch.h"

namespace kgate::cli {

// Where cases are qualified: the backend that was asked for, opened once. The policy's rules about the environment are
// those of measuring and do not hold here. Throws Error(environment) where there is no such backend.
class Qualifying {
 public:
  Qualifying(const Invocation& invocation, double compile_timeout_s);
  const verdict::QualifyOptions& options() const { return options_; }

 private:
  std::optional<runner::Scratch> scratch_;  // of the children
  verdict::QualifyOptions options_;
};

}  // namespace kgate::cli
