#include "gate/lint/ptx_variables.h"

#include <algorithm>
#include <cctype>

// A line that begins with .global, perhaps after a linking directive, defines a variable; instructions begin with their
// name ("ld.global.u32"), parameters with .param. Comments are C++'s.
namespace kgate::lint {
namespace {

bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}

// The text with comments blanked, lines kept.
std::string without_comments(std::string_view text) {
  std::string code(text);
  for (std::size_t at = 0; at + 1 < code.size(); ++at) {
    std::size_t end = at;
    if (code.compare(at, 2, "//") == 0) {
      end = std::min(code.find('\n', at), code.size());
    } else if (code.compare(at, 2, "/*") == 0) {
      end = code.find("*/", at + 2);
      end = end == std::string::npos ? code.size() : end + 2;
    } else {
      continue;
    }
    for (; at < end; ++at) {
      if (code[at] != '\n') code[at] = ' ';
    }
    --at;
  }
  return code;
}

// Words up to what ends a declaration's name: "[", "=".
std::vector<std::string> words_of(std::string_view statement) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < statement.size();) {
    if (statement[at] == '[' || statement[at] == '=') break;
    std::size_t end = at;
    while (end < statement.size() && is_name_part(statement[end])) ++end;
    if (end > at) words.emplace_back(statement.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

bool is_variable(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == ".global") return true;
    if (word != ".visible" && word != ".weak" && word != ".common") return false;
  }
  return false;
}

}  // namespace

std::vector<PtxVariable> ptx_variables(std::string_view text) {
  const std::string code = without_comments(text);
  std::vector<PtxVariable> variables;
  std::size_t line = 0;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size());
    ++line;
    const std::vector<std::string> words = words_of(std::string_view(code).substr(at, end - at));
    if (is_variable(words)) variables.push_back({words.back(), line});
    at = end + 1;
  }
  return variables;
}

}  // namespace kgate::lint
