#pragma once

#include <string>
#include <vector>

#include "gate/verdict/result/result.h"

namespace kgate::report {

// What a reviewer of a kernel that costs more asks: options, launches, resources, machine code and the growth of the
// error, from the base to the candidate; and the same from an accepted version that it is worse than, with the times of
// the cases and the machine. One line each.
std::vector<std::string> differences_of(const verdict::KernelResult& kernel);

}  // namespace kgate::report
