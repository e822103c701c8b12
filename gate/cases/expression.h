#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kgate::cases {

using Variables = std::map<std::string, std::int64_t>;

// An integer expression over named integers: + - * / %, parentheses, ceil_div(a, b), round_up(a, b), min, max. Exact to
// 2^53.
struct Expression {
  std::string text;   // "ceil_div(cols, 256)"; a plain integer is its digits
  std::string where;  // "kernels/softmax/kernel.toml:12: launch[0].grid[0]", for messages
};

// Throws Error(usage, where, ...): an unknown name (with the nearest known one), overflow beyond 2^53, division by
// zero, a division that leaves a fraction, anything that is not an expression.
std::int64_t evaluate(const Expression& expression, const Variables& variables);

// The names that it uses, functions left out; for questions that come before evaluation.
std::vector<std::string> names_in(const Expression& expression);

}  // namespace kgate::cases
