#include "gate/cases/quote.h"

#include <cstddef>

namespace kgate::cases {
namespace {

constexpr std::size_t kLongest = 120;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string quoted(std::string_view text) {
  const bool cut = text.size() > kLongest;
  if (cut) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a UTF-8 sequence
    text = text.substr(0, end);
  }
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      constexpr char digits[] = "0123456789abcdef";
      result += "\\x";
      result += digits[byte >> 4U];
      result += digits[byte & 15U];
    } else {
      result += c;
    }
  }
  return result + (cut ? "...\"" : "\"");
}

bool is_identifier(std::string_view text) {
  if (text.empty() || text.size() > 100 || !is_letter(text[0])) return false;
  for (const char c : text) {
    if (!is_letter(c) && !is_digit(c)) return false;
  }
  return true;
}

}  // namespace kgate::cases
