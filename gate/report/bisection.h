#pragma once

#include <cstddef>
#include <string>

#include "gate/report/report.h"
#include "gate/verdict/bisect/bisection.h"

namespace kgate::report {

// One line for one look, as the bisection goes on. `measurements`: how many there were by then.
std::string write_visit(const verdict::Visit& look, std::size_t measurements);

// The answer for a person: the commit, or those that cannot be told apart, with what was measured on both sides, where
// else to look, and what it took.
std::string write_bisection(const verdict::Bisection& found, const TextStyle& style);

}  // namespace kgate::report
