#pragma once

#include <string>

#include "gate/verdict/result/result.h"

namespace kgate::report {

struct TextStyle {
  bool color = false;
  int width = 100;     // columns
  bool quiet = false;  // the verdict line alone
};

// The answer for a person at a terminal or in a CI log: what blocks and why first, then a table of kernels and cases,
// then what to do next. Text that comes from kernels or compilers is neutralised: control characters and escapes never
// reach the terminal.
std::string write_text(const verdict::Result& result, const TextStyle& style);
// The same, taken apart: what happened, why and what to do; the table of cases; the machine; the command that repeats
// it.
struct TextParts {
  std::string answer, table, machine, again;
};
TextParts text_parts(const verdict::Result& result, const TextStyle& style);
// result.json: canonical keys, indented, one final newline.
std::string write_json(const verdict::Result& result);

// Control characters, escapes and invalid UTF-8 replaced, so that foreign text cannot drive a terminal.
std::string neutral(const std::string& text);

}  // namespace kgate::report
