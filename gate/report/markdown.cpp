#include "gate/report/markdown.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gate/report/attribution_text.h"
#include "gate/report/differences.h"
#include "gate/report/findings.h"
#include "gate/report/format.h"
#include "gate/report/machine_state.h"
#include "gate/report/markdown_text.h"
#include "gate/report/meaning.h"
#include "gate/report/reproduce.h"
#include "gate/report/searches.h"

namespace kgate::report {
namespace {

using markdown::block;
using markdown::code;
using markdown::prose;
using verdict::CaseResult;
using verdict::KernelResult;
using verdict::Result;
using verdict::Verdict;

constexpr std::size_t kCommentBytes = 59'500;
constexpr std::size_t kMostCases = 10;  // told of a kernel
constexpr std::size_t kMostWarnings = 20;
constexpr std::size_t kMostBlocking = 5;     // named in the first sentence
constexpr std::size_t kRoomForTheCut = 300;  // bytes of the line that tells what was cut
constexpr std::size_t kReason = 300;         // columns, where it is one of several
constexpr const char* kTableHead =
    "| | kernel | case | change [interval] | µs before → now | since | verdict |\n|---|---|---|---|---|---|---|\n";

const char* sign_of(Verdict verdict) {
  const Tone tone = tone_of(verdict);
  return tone == Tone::good ? "✅" : tone == Tone::doubtful ? "⚠️" : "❌";
}

// A part of the text that is there whole or not at all; `shorter` where that is better than nothing.
struct Piece {
  std::string text;
  bool passed = false;
  std::string shorter = {};
};

class Writer {
 public:
  Writer(const Result& result, std::size_t bytes) : result_(result), bytes_(bytes), findings_(findings_of(result)) {}

  std::string write() {
    const std::string head = headline() + what_blocks() + again();
    room_ = bytes_ - std::min(bytes_, head.size() + std::string_view(kTableHead).size() + kRoomForTheCut);
    // What was found comes before what passed: half of the room for its rows, the rest for its details, and what is
    // left then for the other rows.
    std::vector<Piece> found, passed;
    for (Piece& row : rows()) (row.passed ? passed : found).push_back(std::move(row));
    std::string table = fitted(found, room_ / 2);
    const std::string warned = fitted(warnings(), room_ / 4);
    const std::string searched =
        fitted({{searches_markdown(result_, true), false, searches_markdown(result_, false)}}, room_ / 2);
    const std::string details = fitted(this->details(), room_);
    const std::string machine = fitted({{this->machine(), true}}, room_);
    table += fitted(passed, room_);
    if (!table.empty()) table = kTableHead + table + "\n";
    return head + table + cut_line() + warned + (warned.empty() ? "" : "\n") + searched + details + machine;
  }

 private:
  // As many of them as there is room for; the others are counted.
  std::string fitted(const std::vector<Piece>& pieces, std::size_t room) {
    std::string text;
    bool full = false;
    for (const Piece& piece : pieces) {
      const std::string& chosen =
          piece.text.size() > room - text.size() && !piece.shorter.empty() ? piece.shorter : piece.text;
      full = full || chosen.size() > room - text.size();
      if (full) {
        ++(piece.passed ? cut_passed_ : cut_found_);
      } else {
        text += chosen;
      }
    }
    room_ -= text.size();
    return text;
  }

  std::string cut_line() const {
    if (cut_passed_ + cut_found_ == 0) return {};
    std::vector<std::string> what;
    if (cut_found_ > 0) what.push_back(fmt::format("{} of what was found", cut_found_));
    if (cut_passed_ > 0) what.push_back(fmt::format("{} of what passed", cut_passed_));
    return fmt::format("_Cut to fit {}: rows and details left out here, all in result.json: {}._\n\n", size_words(),
                       list(what));
  }
  std::string size_words() const {
    return bytes_ % 1024 == 0 ? fmt::format("{} KiB", bytes_ / 1024) : fmt::format("{} bytes", bytes_);
  }

  std::string headline() const {
    const Verdict verdict = decisive(result_);
    const bool red = result_.exit_code != 0;
    const char* const sign = red ? sign_of(verdict) : verdict::passes(result_.verdict) ? "✅" : "⚠️";
    return fmt::format("## {} kgate: {}\n\n**{}**{}\n\n", sign, verdict::name_of(verdict), verdict::name_of(verdict),
                       prose(after_verdict(result_)));
  }

  // One line a kernel: which case, how much, since what, why.
  std::string what_blocks() const {
    const bool blocking = !findings_.blocking.empty();
    const auto& kernels = blocking ? findings_.blocking : findings_.other;
    if (kernels.empty()) return result_.reason.empty() ? "" : prose(result_.reason) + "\n\n";
    std::string text = blocking ? "What blocks:\n\n" : "What was found:\n\n";
    if (!result_.reason.empty() && is_of_the_run()) text = prose(result_.reason) + "\n\n" + text;
    for (std::size_t i = 0; i < std::min(kernels.size(), kMostBlocking); ++i) text += blocker(*kernels[i]);
    if (kernels.size() > kMostBlocking)
      text += fmt::format("- and {} more, below\n", count(kernels.size() - kMostBlocking, "kernel"));
    return text + "\n";
  }
  // The run's reason is otherwise that of its worst kernel.
  bool is_of_the_run() const {
    return std::none_of(result_.kernels.begin(), result_.kernels.end(), [&](const KernelResult& kernel) {
      return result_.reason == kernel.name + ": " + kernel.reason;
    });
  }

  std::string blocker(const KernelResult& kernel) const {
    std::string text = "- " + code(kernel.name);
    const auto cases = told_cases(kernel);
    const std::string name = verdict::name_of(kernel.verdict);
    // The kernel's own reason where no case has it: the limits on resources.
    if (cases.empty() || !told_by_case(kernel)) {
      text += fmt::format(" is **{}**", name);
      if (!kernel.reason.empty()) text += ": " + prose(kernel.reason, kReason);
      return text + "\n";
    }
    const CaseResult& worst = *cases.front();
    text += fmt::format(" is **{}** in case {}", name, code(worst.name));
    if (cases.size() > 1) text += fmt::format(" and {} more", cases.size() - 1);
    if (const auto times = beside(kernel, worst); times && times->decides) {
      text += fmt::format(": **{}**", change(times->ratio, times->low, times->high));
      if (!times->version.empty()) text += " against " + prose(times->version);
    }
    if (!worst.reason.empty()) text += ": " + prose(worst.reason, kReason);
    return text + "\n";
  }

  std::string again() const {
    const std::string text = reproduce(result_);
    return text.empty() ? "" : "The same again, with the same inputs:\n\n" + markdown::command(text) + "\n";
  }

  std::vector<Piece> warnings() const {
    std::vector<std::string> lines;
    for (const std::string& one : result_.warnings) lines.push_back(prose(one, kReason));
    for (const KernelResult& kernel : result_.kernels) {
      for (const std::string& one : kernel.warnings) lines.push_back(code(kernel.name) + ": " + prose(one, kReason));
    }
    const std::size_t left = lines.size() - std::min(lines.size(), kMostWarnings);
    lines.resize(lines.size() - left);
    if (left > 0) lines.push_back(fmt::format("and {} more, in result.json", left));
    std::vector<Piece> pieces;
    for (const std::string& line : lines) pieces.push_back({"- warning: " + line + "\n"});
    return pieces;
  }

  // The worst first: kernels in the order of the findings, then those that passed; cases likewise.
  std::vector<Piece> rows() const {
    std::vector<Piece> rows;
    for (const auto* list : {&findings_.blocking, &findings_.other}) {
      for (const KernelResult* kernel : *list) kernel_rows(*kernel, rows);
    }
    for (const KernelResult& kernel : result_.kernels) {
      if (verdict::passes(kernel.verdict)) kernel_rows(kernel, rows);
    }
    return rows;
  }

  void kernel_rows(const KernelResult& kernel, std::vector<Piece>& rows) const {
    const bool passed = verdict::passes(kernel.verdict);
    const auto told = told_cases(kernel);
    for (const CaseResult* one : told) rows.push_back({case_row(kernel, *one), passed});
    if (told.empty() && !passed)
      rows.push_back({row(kernel.verdict, code(kernel.name), "", "", "", "", kernel.verdict), false});
    std::size_t checked = 0;
    for (const CaseResult& one : kernel.cases) {
      if (is_told(one)) continue;
      if (one.time) {
        rows.push_back({case_row(kernel, one), true});
      } else {
        ++checked;
      }
    }
    if (checked > 0)
      rows.push_back({row(Verdict::pass, code(kernel.name), count(checked, "case") + " checked", "", "", "",
                          passed ? kernel.verdict : Verdict::pass),
                      true});
    if (kernel.cases.empty() && passed)
      rows.push_back({row(kernel.verdict, code(kernel.name), "", "", "", "", kernel.verdict), true});
  }

  std::string case_row(const KernelResult& kernel, const CaseResult& one) const {
    const auto times = beside(kernel, one);
    if (!times) return row(one.verdict, code(kernel.name), code(one.name), "", "", "", one.verdict);
    return row(one.verdict, code(kernel.name), code(one.name), change(times->ratio, times->low, times->high),
               microseconds(times->before_us) + " → " + microseconds(times->candidate_us), prose(times->version),
               one.verdict);
  }

  static std::string row(Verdict sign, const std::string& kernel, const std::string& name, const std::string& change,
                         const std::string& times, const std::string& since, Verdict verdict) {
    return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", sign_of(sign), kernel, name, change, times, since,
                       verdict::name_of(verdict));
  }

  std::vector<Piece> details() const {
    std::vector<Piece> pieces;
    for (const auto* list : {&findings_.blocking, &findings_.other}) {
      for (const KernelResult* kernel : *list) pieces.push_back({detail(*kernel, true), false, detail(*kernel, false)});
    }
    for (const KernelResult& kernel : result_.kernels) {
      const bool telling = kernel.attribution && is_telling(*kernel.attribution);
      if (verdict::passes(kernel.verdict) && (kernel.verdict == Verdict::preapproved || telling))
        pieces.push_back({detail(kernel, true), true, detail(kernel, false)});
    }
    return pieces;
  }

  // `whole`: with the compiler's words and the change itself.
  std::string detail(const KernelResult& kernel, bool whole) const {
    std::string text = fmt::format("<details><summary>{}: {}</summary>\n\n", markdown::code_in_html(kernel.name),
                                   verdict::name_of(kernel.verdict));
    const auto item = [&](const std::string& line) { text += "- " + line + "\n"; };
    if (!kernel.path.empty()) item(code(kernel.path, 200) + place(kernel));
    if (!kernel.reason.empty() && !told_by_case(kernel)) item(prose(kernel.reason));
    for (const verdict::Comparison& one : kernel.comparisons) {
      if (one.timed())
        item(fmt::format("against {}: {}, {}", prose(version_words(one)), change(one.ratio, one.low, one.high),
                         verdict::name_of(one.verdict)));
    }
    if (kernel.attribution) {
      for (const std::string& one : attribution_lines(*kernel.attribution)) item(prose(one));
    }
    const auto cases = told_cases(kernel);
    for (std::size_t i = 0; i < std::min(cases.size(), kMostCases); ++i) {
      item(code(cases[i]->name) + sizes(*cases[i]) + ": " + prose(case_words(*cases[i])));
      for (const std::string& one : mismatch_lines(*cases[i])) text += "  - " + prose(one) + "\n";
    }
    if (cases.size() > kMostCases)
      item(fmt::format("and {} more, in result.json", count(cases.size() - kMostCases, "case")));
    if (!verdict::passes(kernel.verdict)) {
      for (const std::string& one : differences_of(kernel)) item(prose(one));
    }
    for (const lint::Finding& one : kernel.lint) {
      if (!one.in_base) item(fmt::format("lint: {}: {}: {}", prose(one.rule), prose(one.where), prose(one.what)));
    }
    text += "\n" + remedy(kernel);
    const std::string again = reproduce(result_, kernel);
    if (!again.empty() && !verdict::passes(kernel.verdict))
      text += "This kernel again:\n\n" + markdown::command(again) + "\n";
    if (whole && kernel.code.empty() && !kernel.compiler_log.empty())
      text += "The compiler's words:\n\n" + block(kernel.compiler_log, "text") + "\n";
    if (whole && !kernel.source_diff.empty() && !verdict::passes(kernel.verdict))
      text += "The change:\n\n" + block(kernel.source_diff, "diff") + "\n";
    return text + "</details>\n\n";
  }

  static std::string place(const KernelResult& kernel) {
    return kernel.location
               ? fmt::format(", {}", code(fmt::format("{}:{}", kernel.location->file, kernel.location->line), 200))
               : "";
  }

  static std::string sizes(const CaseResult& one) {
    std::vector<std::string> sizes;
    for (const auto& [name, size] : one.sizes) sizes.push_back(fmt::format("{} = {}", short_name(name), size));
    return sizes.empty() ? "" : " (" + prose(list(sizes)) + ")";
  }

  std::string remedy(const KernelResult& kernel) const {
    const std::string text = remedy_of(kernel, result_);
    if (text.empty() || is_interrupted(result_)) return {};
    std::string words = "**What to do:** ", commands;
    bool first = true;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      if (line.starts_with("  ")) {
        words += "\n\n" + markdown::command(line.substr(2)) + "\n";
      } else {
        words += (first ? "" : "\n") + prose(line);
      }
      first = false;
    }
    return words + (words.ends_with("\n\n") ? "" : words.ends_with('\n') ? "\n" : "\n\n");
  }

  std::string machine() const {
    std::vector<std::string> lines;
    const auto add = [&](const char* what, const std::string& text) {
      if (!text.empty()) lines.push_back(fmt::format("{}: {}", what, prose(text, kReason)));
    };
    add("profile", result_.profile);
    add("backend", result_.backend);
    add("commit", result_.source_commit + (result_.source_dirty ? " and changes that are not committed" : ""));
    add("compared with", result_.source_base);
    add("policy", result_.policy_ref + (result_.policy_commit.empty() ? "" : " " + result_.policy_commit));
    if (result_.ledger_sequence > 0) add("ledger", fmt::format("record {}", result_.ledger_sequence));
    if (result_.shard_total > 1) add("shards", fmt::format("{} of {}", result_.shard_index, result_.shard_total));
    const bool several = !result_.devices.empty();
    add("device", result_.device_name + (several || result_.device_uuid.empty() ? "" : ", " + result_.device_uuid));
    for (const std::string& one : device_lines(result_)) add("GPU", one);
    add("sandbox", result_.sandbox);
    if (!several) add("state", state_of(result_.environment));
    if (result_.total_s > 0)
      add("took", fmt::format("{:.1f} s: compile {:.1f}, check {:.1f}, time {:.1f}, wait {:.1f}", result_.total_s,
                              result_.compile_s, result_.check_s, result_.time_s, result_.wait_s));
    add("kgate", result_.tool_version + " (" + result_.tool_commit + ")");
    std::string text = "<details><summary>the run and its machine</summary>\n\n";
    for (const std::string& line : lines) text += "- " + line + "\n";
    return text + "\n</details>\n";
  }

  const Result& result_;
  std::size_t bytes_;
  Findings findings_;
  std::size_t room_ = 0, cut_found_ = 0, cut_passed_ = 0;
};

}  // namespace

std::string write_markdown(const Result& result, const MarkdownLimits& limits) {
  return Writer(result, limits.bytes).write();
}

std::string write_summary(const Result& result) {
  return write_markdown(result, {});
}

std::string write_comment(const Result& result) {
  return write_markdown(result, {kCommentBytes});
}

}  // namespace kgate::report
