#include "gate/sanitize/report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "gate/sanitize/places.h"

// A report is a list of records: a line that says what happened, and beneath it, indented, where, by whom, to which
// address. Its words differ between versions; what is relied on is little: the prefix of "=", the beginnings of the
// first lines, "at ... in FILE:LINE", and the count at the end.
namespace kgate::sanitize {
namespace {

constexpr std::string_view kPrefix = "=========";

struct Head {
  std::string_view beginning;
  const char* kind;
};
constexpr std::array<Head, 8> kHeads{{{"Invalid ", "invalid_"},
                                      {"Uninitialized ", "uninitialized_read"},
                                      {"Host API uninitialized", "uninitialized_read"},
                                      {"Barrier error", "barrier_error"},
                                      {"Race reported", "race"},
                                      {"Potential ", "race"},
                                      {"(Warp Level Programming) Potential ", "race"},
                                      {"Malloc/Free error", "allocation_error"}}};
// Lines that belong to the record above them, where a copy of a report has lost its indentation.
constexpr std::array<std::string_view, 9> kContinued{"at ",        "by thread",    "Address ",
                                                     "Access ",    "and ",         "Saved host backtrace",
                                                     "Host Frame", "Device Frame", "Current Value"};

bool starts_with_any(std::string_view text, const auto& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// "Error: Race reported ..." -> "Race reported ...".
std::string_view without_severity(std::string_view head) {
  for (const std::string_view word : {"Error: ", "Warning: ", "ERROR: ", "WARN: "}) {
    if (head.starts_with(word)) return head.substr(word.size());
  }
  return head;
}

std::string kind_of(std::string_view head) {
  for (const Head& known : kHeads) {
    if (!head.starts_with(known.beginning)) continue;
    if (known.beginning != "Invalid ") return known.kind;
    for (const char* const access : {"read", "write", "atomic"}) {
      if (head.find(fmt::format(" {}", access)) != std::string_view::npos) return std::string(known.kind) + access;
    }
  }
  return "other";
}

struct Record {
  std::string head;
  std::vector<std::string> lines;
};

// Errors that a summary counts: "ERROR SUMMARY: 2 errors", "RACECHECK SUMMARY: 3 hazards displayed (1 error, 2
// warnings)".
std::optional<std::int64_t> counted(std::string_view line) {
  std::size_t at = std::string_view::npos;
  if (const auto race = line.find("RACECHECK SUMMARY:"); race != std::string_view::npos) {
    at = line.find('(', race);
  } else if (const auto error = line.find("ERROR SUMMARY:"); error != std::string_view::npos) {
    at = line.find(':', error);
  }
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view number = trimmed(line.substr(at + 1));
  std::int64_t count = 0;
  if (std::from_chars(number.data(), number.data() + number.size(), count).ec != std::errc()) return std::nullopt;
  return count;
}

class Reader {
 public:
  Reader(const std::string& tool, const std::vector<std::string>& files) : tool_(tool), files_(files) {}

  Report read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      take(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    finish();
    if (errors_ > 0 && !has_error()) {
      Finding finding;
      finding.tool = tool_;
      finding.kind = "other";
      finding.severity = "error";
      finding.what =
          fmt::format("{} errors in a form that kgate does not know{}{}", errors_, stray_.empty() ? "" : ": ", stray_);
      report_.findings.push_back(std::move(finding));
    }
    if (!has_error()) {
      report_.trouble = trouble_;
      if (report_.trouble.empty() && !summary_) {
        report_.trouble = fmt::format("{} ended without a summary{}{}", tool_, stray_.empty() ? "" : ": ", stray_);
      }
    }
    return std::move(report_);
  }

 private:
  // Warnings answer for nothing: a report of them alone must be whole like an empty one.
  bool has_error() const {
    return std::any_of(report_.findings.begin(), report_.findings.end(),
                       [](const Finding& one) { return one.severity == "error"; });
  }

  void take(std::string_view line) {
    if (!line.starts_with(kPrefix)) return;
    line.remove_prefix(kPrefix.size());
    const bool indented = line.starts_with("  ") || line.starts_with(" \t");
    line = trimmed(line);
    if (line.empty() || line == "COMPUTE-SANITIZER") return finish();
    if (record_ && (indented || starts_with_any(line, kContinued))) {
      record_->lines.emplace_back(line);
      return;
    }
    finish();
    if (const auto count = counted(line)) {
      summary_ = true;
      errors_ = std::max(errors_, *count);
    } else if (line.find("SUMMARY:") == std::string_view::npos && !line.starts_with("Program hit")) {
      record_ = Record{std::string(line), {}};
    }
  }

  void finish() {
    if (!record_) return;
    const Record record = std::move(*record_);
    record_.reset();
    const std::string_view head = without_severity(record.head);
    const bool has_place = std::any_of(record.lines.begin(), record.lines.end(), [](const std::string& line) {
      return line.starts_with("at ") || line.starts_with("by thread");
    });
    Finding finding;
    finding.kind = kind_of(head);
    if (finding.kind == "other" && !has_place) {
      // The tool's own troubles: a target that it lost, an error of its own.
      if (record.head.starts_with("Error") || record.head.starts_with("Internal") || record.head.starts_with("Fatal"))
        trouble_ = trouble_.empty() ? record.head : trouble_;
      stray_ = record.head;
      return;
    }
    finding.tool = tool_;
    finding.severity = record.head.starts_with("W") && head != record.head ? "warning" : "error";
    locate(record, finding);
    finding.what = words_of(head, record);
    add(std::move(finding));
  }

  // The innermost frame in a file of the kernel's, else the innermost that has one.
  void locate(const Record& record, Finding& finding) const {
    std::vector<std::string> lines{record.head};
    lines.insert(lines.end(), record.lines.begin(), record.lines.end());
    for (const std::string& line : lines) {
      if (line.starts_with("Host Frame") || line.starts_with("Saved host")) break;
      const auto place = place_in(line);
      if (!place) continue;
      const auto own = own_file(place->file, files_);
      if (own || finding.file.empty()) {
        finding.file = own.value_or(place->file);
        finding.line = place->line;
      }
      if (own) return;
    }
  }

  static std::string words_of(std::string_view head, const Record& record) {
    std::string words(head);
    for (const std::string& line : record.lines) {
      if (line.starts_with("Saved host") || line.starts_with("Host Frame") || line.starts_with("Device Frame")) break;
      words += (line.starts_with("and ") ? " " : ", ") + line;
    }
    return words;
  }

  void add(Finding finding) {
    const auto same = std::find_if(report_.findings.begin(), report_.findings.end(), [&](const Finding& other) {
      return other.kind == finding.kind && other.severity == finding.severity && other.file == finding.file &&
             other.line == finding.line && (finding.line != 0 || other.what == finding.what);
    });
    if (same == report_.findings.end()) {
      report_.findings.push_back(std::move(finding));
    } else {
      ++same->count;
    }
  }

  const std::string& tool_;
  const std::vector<std::string>& files_;
  Report report_;
  std::optional<Record> record_;
  bool summary_ = false;
  std::int64_t errors_ = 0;
  std::string trouble_, stray_;
};

}  // namespace

Report read_report(std::string_view text, const std::string& tool, const std::vector<std::string>& files) {
  return Reader(tool, files).read(text);
}

}  // namespace kgate::sanitize
