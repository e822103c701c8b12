#include "gate/disassembly/count.h"

#include <algorithm>

namespace kgate::disassembly {
namespace {

constexpr std::string_view kBlanks = " \t\r";

void skip_blanks(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
}

bool is_part_of_opcode(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// "/*00f0*/": an address, before every instruction and before data.
bool skip_address(std::string_view& line) {
  if (!line.starts_with("/*")) return false;
  const std::size_t end = line.find("*/");
  if (end == std::string_view::npos || end == 2) return false;
  const std::string_view digits = line.substr(2, end - 2);
  if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) return false;
  line.remove_prefix(end + 2);
  return true;
}

// "        /*0080*/               @!P0 BRA `(.L_x_0) ;" -> "BRA"; empty for what is no instruction. Maxwell and Pascal
// put two that start together in braces.
// `line` is left with the operands.
std::string_view opcode_of(std::string_view& line) {
  skip_blanks(line);
  if (!skip_address(line)) return {};
  skip_blanks(line);
  if (line.starts_with('{')) line.remove_prefix(1);
  skip_blanks(line);
  if (line.starts_with('@')) {
    line.remove_prefix(std::min(line.find_first_of(kBlanks), line.size()));
    skip_blanks(line);
  }
  if (line.empty() || line.front() < 'A' || line.front() > 'Z') return {};
  const auto end = std::find_if_not(line.begin(), line.end(), is_part_of_opcode);
  const std::string_view opcode = line.substr(0, static_cast<std::size_t>(end - line.begin()));
  line.remove_prefix(opcode.size());
  return opcode;
}

// HFMA2 R10, -RZ, RZ, 0, 0: how the compiler puts a constant into a register where the half unit is free.
bool is_constant(std::string_view opcode, std::string_view operands) {
  return opcode.starts_with("HFMA2") && operands.find(", -RZ, RZ, ") != std::string_view::npos;
}

}  // namespace

Counts count_instructions(std::string_view text) {
  Counts counts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    const std::string_view opcode = opcode_of(line);
    if (!opcode.empty() && opcode != "NOP") ++counts[is_constant(opcode, line) ? Kind::other : kind_of(opcode)];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return counts;
}

}  // namespace kgate::disassembly
