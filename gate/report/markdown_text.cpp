#include "gate/report/markdown_text.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/report.h"

namespace kgate::report::markdown {
namespace {

constexpr std::string_view kMarkup = "\\`*_[]|~$";
// What stands before a name or a number and makes a mention or a reference of it: people, issues, merge requests,
// snippets, labels, milestones, epics.
constexpr std::string_view kSigils = "@#!$%~&";
constexpr const char* kBreak = "&#8203;";  // a space of no width: seen by nobody, and by every pattern
constexpr std::size_t kLongestLine = 500;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool opens_reference(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '"' || c == '\'' || c == '.' || c == '-' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool same_letters(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (is_letter(a) ? static_cast<char>(a | 0x20) : a) == b; });
}

// Where a bare address, or a ticket's key ("GH-12", "ABC-12"), would be made a link: after this character.
bool is_link(std::string_view line, std::size_t at) {
  const std::string_view rest = line.substr(at);
  if (rest.starts_with("://")) return true;
  if (line[at] == 'w' || line[at] == 'W')
    return at >= 2 && rest.substr(1).starts_with(".") && same_letters(line.substr(at - 2, 3), "www");
  return line[at] == '-' && at > 0 && is_letter(line[at - 1]) && rest.size() > 1 && is_digit(rest[1]);
}

std::string entity(char c) {
  return fmt::format("&#{};", static_cast<int>(c));
}

std::string fenced(const std::string& body, const std::string& language) {
  std::size_t longest = 2, run = 0;
  for (const char c : body) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + language + "\n" + body + fence + "\n";
}

}  // namespace

std::string prose(const std::string& text, std::size_t width) {
  const std::string line = short_line(text, width);
  std::string result;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else {
      if (kMarkup.find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
    const bool reference =
        kSigils.find(c) != std::string_view::npos && at + 1 < line.size() && opens_reference(line[at + 1]);
    if (reference || is_link(line, at)) result += kBreak;
  }
  return result;
}

std::string code(const std::string& text, std::size_t width) {
  const std::string line = short_line(text, width);
  if (line.empty()) return "(no name)";
  // Between backticks everything is as it stands, but for these; a table's cell ends at a bar wherever it is.
  if (line.find_first_of("`|\\") == std::string::npos && line.front() != ' ' && line.back() != ' ')
    return "`" + line + "`";
  return code_in_html(text, width);
}

std::string code_in_html(const std::string& text, std::size_t width) {
  std::string result = "<code>";
  for (const char c : short_line(text, width)) {
    const bool plain = is_letter(c) || is_digit(c) || c == ' ' || c == '.' || c == ',' || c == '/' ||
                       static_cast<unsigned char>(c) >= 0x80;
    result += plain ? std::string(1, c) : entity(c);
  }
  return result + "</code>";
}

std::string command(const std::string& text) {
  return text.empty() ? text : fenced(neutral(text) + "\n", "sh");
}

std::string block(const std::string& text, const std::string& language, std::size_t lines) {
  const std::string shown = neutral(text);
  std::string body;
  std::size_t told = 0, left = 0;
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t end = std::min(shown.find('\n', at), shown.size());
    if (told++ < lines) {
      body += cut(shown.substr(at, end - at), kLongestLine) + "\n";
    } else {
      ++left;
    }
    at = end + 1;
  }
  if (body.empty()) return {};
  if (left > 0) body += fmt::format("and {} more, in result.json\n", count(left, "line"));
  return fenced(body, language);
}

}  // namespace kgate::report::markdown
