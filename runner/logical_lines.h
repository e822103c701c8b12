#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgate::runner {

// A source's lines as the preprocessor sees them: spliced lines are one, comments are a blank, trigraphs and digraphs
// of '#' are '#'. Strings stay, raw ones on one line.
struct LogicalLine {
  std::string text;
  int number = 1;  // where it begins
};
std::vector<LogicalLine> logical_lines(std::string_view source);

}  // namespace kgate::runner
