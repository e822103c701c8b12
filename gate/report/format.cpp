#include "gate/report/format.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/utf8.h"
#include "gate/report/report.h"

namespace kgate::report {
namespace {

// Of the numbers that stand together, the largest says how many decimals all of them get.
int decimals_for(double largest_percent) {
  return largest_percent < 1 ? 2 : largest_percent < 100 ? 1 : 0;
}

double percent(double ratio) {
  return (ratio - 1) * 100;
}

std::string signed_number(double number, int decimals) {
  std::string text = fmt::format("{:+.{}f}", number, decimals);
  // What rounds to nothing has no sign: "-0.00" reads as a small win.
  if (text.find_first_not_of("+-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

// `digits` significant ones, without an exponent from 1e-3 to 1e9.
std::string significant(double number, int digits) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  const double size = std::abs(number);
  if (size == 0) return "0";
  if (size < 1e-3 || size >= 1e9) return fmt::format("{:.{}e}", number, digits - 2);
  const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
  return fmt::format("{:.{}f}", number, std::max(0, digits - before));
}

bool is_combining(char32_t c) {
  return (c >= 0x0300 && c <= 0x036F) || (c >= 0x1AB0 && c <= 0x1AFF) || (c >= 0x20D0 && c <= 0x20FF) ||
         (c >= 0xFE00 && c <= 0xFE0F);
}

bool is_wide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
         (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
}

std::size_t columns_of(char32_t c) {
  return is_combining(c) ? 0 : is_wide(c) ? 2 : 1;
}

}  // namespace

std::string change(double ratio) {
  if (!std::isfinite(ratio)) return value(ratio);
  return signed_number(percent(ratio), decimals_for(std::abs(percent(ratio)))) + " %";
}

std::string change(double ratio, double low, double high) {
  if (!std::isfinite(ratio)) return value(ratio);
  const int decimals =
      decimals_for(std::max({std::abs(percent(ratio)), std::abs(percent(low)), std::abs(percent(high))}));
  return fmt::format("{} % [{}, {}]", signed_number(percent(ratio), decimals), signed_number(percent(low), decimals),
                     signed_number(percent(high), decimals));
}

std::string microseconds(double us) {
  return significant(us, 4);
}
std::string rate(double number) {
  return significant(number, 3);
}
std::string value(double number) {
  std::string text = significant(number, 4);
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  // Zeros at the end say nothing about one value; in a column (microseconds) they keep the digits under each other.
  const std::size_t end = std::min(text.find('e'), text.size());
  std::size_t kept = text.find_last_not_of('0', end - 1) + 1;
  if (kept == point + 1) kept = point;
  return text.erase(kept, end - kept);
}

std::string count(std::size_t number, const std::string& noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string one_line(const std::string& text) {
  std::string line = neutral(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

std::string short_line(const std::string& text, std::size_t width) {
  // What is hidden or combines takes no column: a bound on bytes as well.
  const std::size_t most = 8 * width;
  if (text.size() <= most) return cut(one_line(text), width);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  const std::string begin = one_line(text.substr(0, end));
  return columns(begin) > width ? cut(begin, width) : begin + "...";
}

std::string short_name(const std::string& name) {
  constexpr std::size_t kLongest = 200;
  return short_line(name, kLongest);
}

std::size_t columns(const std::string& text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    width += columns_of(point.value);
    at += point.length;
  }
  return width;
}

std::string cut(const std::string& text, std::size_t width) {
  if (columns(text) <= width) return text;
  const std::size_t room = width > 3 ? width - 3 : 0;
  std::size_t used = 0, at = 0;
  while (at < text.size()) {
    const CodePoint point = decode_utf8(text, at);
    if (used + columns_of(point.value) > room) break;
    used += columns_of(point.value);
    at += point.length;
  }
  return text.substr(0, at) + "...";
}

std::string wrap(const std::string& text, std::size_t width, std::size_t indent) {
  std::string result(indent, ' ');
  std::size_t used = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t wide = columns(word);
    at = end + 1;
    if (word.empty()) continue;
    if (used > indent && used + 1 + wide > width) {
      result += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (used > indent) {
      result += ' ';
      ++used;
    }
    result += word;
    used += wide;
  }
  return result;
}

Tone tone_of(verdict::Verdict verdict) {
  using verdict::Verdict;
  if (verdict::passes(verdict)) return Tone::good;
  switch (verdict) {
    case Verdict::fresh:
    case Verdict::inconclusive:
    case Verdict::environment:
      return Tone::doubtful;
    default:
      return Tone::bad;
  }
}

std::string painted(const std::string& text, Tone tone, bool color) {
  if (!color) return text;
  const char* const code = tone == Tone::good ? "32" : tone == Tone::doubtful ? "33" : "31";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace kgate::report
