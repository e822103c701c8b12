#include "gate/search/propose/words.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace kgate::search {
namespace {

// The longest beginning of at most `most` bytes that ends with a whole code point.
std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

std::string_view ending(std::string_view text, std::size_t most) {
  std::size_t at = text.size() - most;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
  return text.substr(at);
}

}  // namespace

std::string one_line(std::string_view text, std::size_t most) {
  std::string line;
  bool space = false;
  for (std::size_t at = 0; at < text.size() && line.size() <= most;) {
    const CodePoint point = decode_utf8(text, at);
    const bool blank = point.value <= 0x20 || (point.value >= 0x7F && point.value <= 0xA0) || point.value == 0x2028 ||
                       point.value == 0x2029;
    if (!blank) {
      if (space && !line.empty()) line += ' ';
      line += point.valid ? text.substr(at, point.length) : "\xEF\xBF\xBD";
    }
    space = blank;
    at += point.length;
  }
  if (line.size() <= most) return line;
  return std::string(beginning(line, most)) + "...";
}

std::string excerpt(std::string_view text, std::size_t most) {
  std::string valid = valid_utf8(text);
  if (valid.size() <= most) return valid;
  const std::string_view first = beginning(valid, most - most / 4), last = ending(valid, most / 4);
  return fmt::format("{}\n[{} bytes left out]\n{}", first, valid.size() - first.size() - last.size(), last);
}

}  // namespace kgate::search
