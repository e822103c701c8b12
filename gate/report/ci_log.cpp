#include "gate/report/ci_log.h"

#include <algorithm>
#include <ctime>
#include <vector>

#include <fmt/format.h>

#include "base/digest.h"
#include "gate/report/findings.h"
#include "gate/report/format.h"
#include "gate/report/meaning.h"
#include "gate/report/place.h"
#include "gate/report/report.h"
#include "gate/report/reproduce.h"

namespace kgate::report {
namespace {

using verdict::CaseResult;
using verdict::KernelResult;
using verdict::Result;

constexpr int kWidth = 120;                  // columns: the logs of both scroll
constexpr std::size_t kMostAnnotations = 9;  // GitHub shows ten of a step, and the tenth tells of the others
constexpr std::size_t kMostCases = 5;        // of a kernel, in its annotation
constexpr std::size_t kLongestLine = 500;    // columns

std::string percent_encoded(const std::string& text, bool property) {
  std::string result;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    result +=
        special ? fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c))) : std::string(1, c);
  }
  return result;
}

std::string annotation(const char* level, const Place& place, const std::string& title,
                       const std::vector<std::string>& lines) {
  std::string text = fmt::format("::{} ", level);
  if (!place.file.empty()) text += fmt::format("file={},line={},", percent_encoded(place.file, true), place.line);
  text += "title=" + percent_encoded(title, true) + "::";
  std::string message;
  for (const std::string& line : lines) message += (message.empty() ? "" : "\n") + cut(line, kLongestLine);
  return text + percent_encoded(message, false) + "\n";
}

std::string of_kernel(const KernelResult& kernel, const Result& result, bool blocking) {
  std::vector<std::string> lines;
  const auto cases = told_cases(kernel);
  for (std::size_t i = 0; i < std::min(cases.size(), kMostCases); ++i) {
    const CaseResult& one = *cases[i];
    std::string line = short_name(one.name) + ": " + verdict::name_of(one.verdict);
    if (const std::string words = change_words(kernel, one); !words.empty()) line += " " + words;
    if (!one.reason.empty()) line += ": " + one_line(one.reason);
    lines.push_back(line);
    for (const std::string& mismatch : mismatch_lines(one)) lines.push_back(mismatch);
  }
  if (cases.size() > kMostCases) lines.push_back(fmt::format("and {} more", count(cases.size() - kMostCases, "case")));
  if (!told_by_case(kernel))
    lines.insert(lines.begin(), kernel.reason.empty() ? verdict::name_of(kernel.verdict) : one_line(kernel.reason));
  if (!blocking) lines.push_back("the profile " + one_line(result.profile) + " does not block on it");
  const std::string again = reproduce(result, kernel);
  if (!again.empty()) lines.push_back("again: " + again);
  return annotation(blocking ? "error" : "warning", place_of(kernel, result),
                    fmt::format("kgate: {} is {}", short_name(kernel.name), verdict::name_of(kernel.verdict)), lines);
}

std::string annotations(const Result& result) {
  const auto [blocking, other] = findings_of(result);
  std::string text;
  std::size_t told = 0, left = 0;
  // An early end is nobody's finding: it comes first.
  if (result.exit_code != 0 && blocking.empty()) {
    const verdict::Verdict verdict = decisive(result);
    text += annotation("error", {}, std::string("kgate: ") + verdict::name_of(verdict),
                       {result.reason.empty() ? meaning_of(result, verdict) : one_line(result.reason)});
    ++told;
  }
  for (const auto* list : {&blocking, &other}) {
    for (const KernelResult* kernel : *list) {
      if (told < kMostAnnotations) {
        text += of_kernel(*kernel, result, list == &blocking);
        ++told;
      } else {
        ++left;
      }
    }
  }
  if (left > 0)
    text += annotation("notice", {}, fmt::format("kgate: {} more", left),
                       {fmt::format("{} more, in the summary and in result.json", count(left, "kernel"))});
  return text;
}

// Text in which no line is a command. What ends it is a word that nothing in the result can know, for it is a digest
// of all of it.
std::string without_commands(const std::string& text, const Result& result) {
  const std::string token = sha256_hex("kgate stop-commands\n" + write_json(result)).substr(0, 32);
  return "::stop-commands::" + token + "\n" + text + "::" + token + "::\n";
}

// Seconds since 1970; 0 where it is no time.
std::int64_t unix_time(const std::string& iso) {
  std::tm time{};
  const char* const end = ::strptime(iso.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time);
  return end == nullptr || *end != '\0' ? 0 : static_cast<std::int64_t>(::timegm(&time));
}

std::string section(const char* name, const std::string& title, std::int64_t time, const std::string& text) {
  if (text.empty()) return {};
  return fmt::format(
      "\x1b[0Ksection_start:{0}:{1}[collapsed=true]\r\x1b[0K{2}\n{3}\x1b[0Ksection_end:{0}:{1}\r\x1b[0K\n", time, name,
      title, text);
}

}  // namespace

std::string write_github(const Result& result) {
  TextStyle style;
  style.width = kWidth;
  return without_commands(write_text(result, style), result) + annotations(result);
}

std::string write_gitlab(const Result& result) {
  TextStyle style;
  style.width = kWidth;
  style.color = true;
  const TextParts parts = text_parts(result, style);
  const std::int64_t time = unix_time(result.started);
  return parts.answer + section("kgate_cases", "all cases", time, parts.table) +
         section("kgate_machine", "the machine", time, parts.machine) + parts.again;
}

}  // namespace kgate::report
