#pragma once

#include "gate/cli/verbs.h"
#include "gate/verdict/judge.h"

namespace kgate::cli {

// What run, check and doctor --noise have in common, from what was typed and the environment. Throws Error(usage).
verdict::JudgeOptions judge_options(const Invocation& invocation);

}  // namespace kgate::cli
