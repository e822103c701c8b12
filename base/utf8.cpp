#include "base/utf8.h"

namespace kgate {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// How many bytes follow a first byte, and the bounds of the second one, which rule out overlong forms, surrogates and
// too large values.
struct Lead {
  std::size_t following = 0;
  unsigned char low = 0x80, high = 0xBF;
  unsigned char bits = 0;
};

Lead lead_of(unsigned char first) {
  if (first >= 0xC2 && first <= 0xDF) return {1, 0x80, 0xBF, static_cast<unsigned char>(first & 0x1FU)};
  const auto bits = static_cast<unsigned char>(first & 0x0FU);
  if (first == 0xE0) return {2, 0xA0, 0xBF, bits};
  if (first == 0xED) return {2, 0x80, 0x9F, bits};
  if (first >= 0xE1 && first <= 0xEF) return {2, 0x80, 0xBF, bits};
  const auto few = static_cast<unsigned char>(first & 0x07U);
  if (first == 0xF0) return {3, 0x90, 0xBF, few};
  if (first >= 0xF1 && first <= 0xF3) return {3, 0x80, 0xBF, few};
  if (first == 0xF4) return {3, 0x80, 0x8F, few};
  return {};
}

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t at) {
  const unsigned char first = byte_at(text, at);
  if (first < 0x80) return {first, 1, true};
  const Lead lead = lead_of(first);
  char32_t value = lead.bits;
  for (std::size_t i = 1; i <= lead.following; ++i) {
    const unsigned char low = i == 1 ? lead.low : 0x80;
    const unsigned char high = i == 1 ? lead.high : 0xBF;
    if (at + i >= text.size() || byte_at(text, at + i) < low || byte_at(text, at + i) > high) return {0xFFFD, i, false};
    value = (value << 6U) | (byte_at(text, at + i) & 0x3FU);
  }
  if (lead.following == 0) return {};
  return {value, lead.following + 1, true};
}

std::string valid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    result += point.valid ? text.substr(at, point.length) : "\xEF\xBF\xBD";
    at += point.length;
  }
  return result;
}

}  // namespace kgate
