#pragma once

#include <string>

#include "gate/verdict/result/result.h"

namespace kgate::report {

// The command that repeats a run with the same inputs: for what did not pass where something did not. Empty where no
// input was made.
std::string reproduce(const verdict::Result& result);
// For one kernel of it.
std::string reproduce(const verdict::Result& result, const verdict::KernelResult& kernel);

}  // namespace kgate::report
