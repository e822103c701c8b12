#include "base/quote.h"

#include <algorithm>
#include <cstddef>

namespace kgate {
namespace {

constexpr std::size_t kLongest = 120;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The length of the UTF-8 sequence that begins at `at`, or 0 where none does (RFC 3629: no overlong forms, no
// surrogates).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at), second = byte(at + 1);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
  }
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || beyond ? 0 : length;
}

}  // namespace

std::string quoted(std::string_view text) {
  const bool cut = text.size() > kLongest;
  if (cut) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a UTF-8 sequence
    text = text.substr(0, end);
  }
  std::string result = "\"";
  std::size_t length = 0;
  for (std::size_t at = 0; at < text.size(); at += std::max<std::size_t>(length, 1)) {
    length = sequence_length(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool control =
        byte < 0x20 || byte == 0x7F || (byte == 0xC2 && length == 2 && static_cast<unsigned char>(text[at + 1]) < 0xA0);
    if (length == 0 || control) {
      constexpr char digits[] = "0123456789abcdef";
      result += "\\x";
      result += digits[byte >> 4U];
      result += digits[byte & 15U];
      length = 1;  // of two bytes the second is escaped by itself, as it begins no sequence
    } else {
      result += text.substr(at, length);
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

bool is_kernel_name(std::string_view text) {
  if (text.empty() || text.size() > 100 || text[0] == '.' || text[0] == '-') return false;
  for (const char c : text) {
    if (!is_letter(c) && !is_digit(c) && c != '-' && c != '.') return false;
  }
  return true;
}

}  // namespace kgate
