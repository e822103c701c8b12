#include <fmt/format.h>

#include "base/utf8.h"
#include "gate/report/report.h"

// Text from kernels and compilers is the author's of the change, and two readers of a report obey what they read:
// terminals (escapes, carriage returns that overwrite a verdict, marks that turn the direction of text round) and CI
// systems (lines that begin with "::error" or hold "##[error]" are commands to GitHub's and Azure's runners,
// "##teamcity[" to TeamCity). Both kinds are made visible, not dropped, so that a person sees that somebody tried.
// Rejected: a list of allowed characters, which would make every comment in another language unreadable.
namespace kgate::report {
namespace {

bool is_direction_mark(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

// Seen by nobody, or a line break to some readers only.
bool is_hidden(char32_t c) {
  return (c >= 0x200B && c <= 0x200D) || c == 0x2028 || c == 0x2029 || c == 0x2060 || c == 0xFEFF ||
         (c >= 0xE0000 && c <= 0xE007F);
}

bool is_control(char32_t c) {
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c <= 0x9F);
}

bool starts_with(std::string_view text, std::size_t at, std::string_view what) {
  return text.substr(at, what.size()) == what;
}

// "##[", "##vso[", "##teamcity[": at `at`, anywhere in a line.
bool is_hash_command(std::string_view text, std::size_t at) {
  if (!starts_with(text, at, "##")) return false;
  std::size_t next = at + 2;
  while (next < text.size() && text[next] >= 'a' && text[next] <= 'z') ++next;
  return next < text.size() && text[next] == '[';
}

// "::error ::...": runners look at the beginning of a line, after white space; a long line may be broken at any blank.
bool is_colon_command(std::string_view text, std::size_t at) {
  if (!starts_with(text, at, "::")) return false;
  if (at == 0) return true;
  const auto before = static_cast<unsigned char>(text[at - 1]);
  return before <= ' ' || before >= 0x7F;
}

}  // namespace

std::string neutral(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!point.valid) {
      result += "\xEF\xBF\xBD";
    } else if (is_control(point.value)) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(point.value));
    } else if (is_direction_mark(point.value) || is_hidden(point.value)) {
      result += fmt::format("\\u{{{:x}}}", static_cast<unsigned>(point.value));
    } else if (is_hash_command(text, at)) {
      result += "#\\";
    } else if (is_colon_command(text, at)) {
      result += "\\:";
    } else {
      result.append(text, at, point.length);
    }
    at += point.length;
  }
  return result;
}

}  // namespace kgate::report
