#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "gate/report/attribution_text.h"
#include "gate/report/differences.h"
#include "gate/report/findings.h"
#include "gate/report/format.h"
#include "gate/report/machine_state.h"
#include "gate/report/meaning.h"
#include "gate/report/report.h"
#include "gate/report/reproduce.h"
#include "gate/report/searches.h"
#include "gate/report/table.h"

// A person who opens a red job wants to know, in this order: does it block, what blocks, why, what to do. The table and
// the machine come after. Everything foreign (names, reasons, the compiler's words) goes through one_line or neutral.
namespace kgate::report {
namespace {

using verdict::CaseResult;
using verdict::KernelResult;
using verdict::Result;
using verdict::Verdict;

constexpr std::size_t kMostCases = 5;
constexpr std::size_t kMostLogLines = 40;
constexpr std::size_t kLongestText = 4000;  // columns of one thing that is told
constexpr std::size_t kMostLint = 5;        // a kernel

class Writer {
 public:
  Writer(const Result& result, const TextStyle& style)
      : result_(result), style_(style), width_(static_cast<std::size_t>(std::max(style.width, 40))) {}

  TextParts write() {
    TextParts parts;
    headline();
    if (!style_.quiet) {
      summary();
      findings();
      elsewhere();
      text_ += searches_text(result_, width_);
      parts.answer = std::exchange(text_, {});
      parts.table = write_table(result_, style_);
      machine();
      parts.machine = std::exchange(text_, {});
      again();
      parts.again = std::exchange(text_, {});
    }
    parts.answer += text_;
    return parts;
  }

 private:
  void line(const std::string& text, std::size_t indent) {
    text_ += wrap(cut(text, kLongestText), width_, indent) + "\n";
  }

  void headline() {
    const Verdict verdict = decisive(result_);
    const std::string name = verdict::name_of(verdict);
    const Tone tone = result_.exit_code == 0 && tone_of(verdict) == Tone::bad ? Tone::doubtful : tone_of(verdict);
    text_ += "kgate: " + painted(name, tone, style_.color) + after_verdict(result_) + "\n";
  }

  void summary() {
    if (!result_.reason.empty() && !told_below(result_.reason)) line(one_line(result_.reason), 0);
    std::map<Verdict, std::size_t, std::greater<>> counts;
    for (const KernelResult& kernel : result_.kernels) ++counts[kernel.verdict];
    std::vector<std::string> parts;
    parts.reserve(counts.size());
    for (const auto& [verdict, number] : counts)
      parts.push_back(fmt::format("{} {}", number, verdict::name_of(verdict)));
    std::string text = count(result_.kernels.size(), "kernel");
    if (!parts.empty()) text += ": " + list(parts);
    text += "; profile " + one_line(result_.profile);
    if (!result_.backend.empty()) text += ", backend " + one_line(result_.backend);
    if (!result_.source_base.empty()) text += ", compared with " + one_line(result_.source_base).substr(0, 10);
    if (!result_.policy_ref.empty()) text += ", policy of " + one_line(result_.policy_ref);
    if (result_.ledger_sequence > 0) text += fmt::format(", ledger at record {}", result_.ledger_sequence);
    if (result_.shard_total > 1) text += fmt::format(", shard {} of {}", result_.shard_index, result_.shard_total);
    line(text, 0);
    for (const std::string& warning : result_.warnings) line("warning: " + one_line(warning), 0);
    for (const KernelResult& kernel : result_.kernels) {
      for (const std::string& warning : kernel.warnings)
        line("warning: " + short_name(kernel.name) + ": " + one_line(warning), 0);
    }
    for (const KernelResult& kernel : result_.kernels) lint_lines(kernel);
  }

  // What the sources and the machine code show, new things first.
  void lint_lines(const KernelResult& kernel) {
    std::size_t told = 0;
    for (const bool in_base : {false, true}) {
      for (const lint::Finding& one : kernel.lint) {
        if (one.in_base != in_base || told++ >= kMostLint) continue;
        line(fmt::format("lint: {}: {}: {}: {}{}", short_name(kernel.name), rule_words(one.rule), one_line(one.where),
                         one_line(one.what), one.in_base ? " (the base has it too)" : ""),
             0);
      }
    }
    if (told > kMostLint)
      line(fmt::format("lint: {}: and {} more, in result.json", short_name(kernel.name), told - kMostLint), 0);
  }

  // "device_variables" -> "device variables".
  static std::string rule_words(const std::string& rule) {
    std::string words = one_line(rule);
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
  }

  // The judge gives a kernel the reason of its first bad case, and the run that of its worst kernel: each is told once,
  // at its place.
  bool told_below(const std::string& reason) const {
    return std::any_of(result_.kernels.begin(), result_.kernels.end(),
                       [&](const KernelResult& kernel) { return reason == kernel.name + ": " + kernel.reason; });
  }

  void findings() {
    const auto [blocking, other] = findings_of(result_);
    if (!blocking.empty()) text_ += "\nWhat blocks:\n";
    for (const KernelResult* kernel : blocking) finding(*kernel);
    if (!other.empty()) text_ += blocking.empty() ? "\nWhat was found:\n" : "\nWhat else was found:\n";
    for (const KernelResult* kernel : other) finding(*kernel);
    preapproved();
  }

  void attribution(const KernelResult& kernel) {
    if (!kernel.attribution) return;
    for (const std::string& one : attribution_lines(*kernel.attribution)) line(one, 4);
  }

  // What passes, and takes another time than when it was accepted: nobody's change, and worth knowing.
  void elsewhere() {
    bool first = true;
    for (const KernelResult& kernel : result_.kernels) {
      if (!verdict::passes(kernel.verdict) || !kernel.attribution || !is_telling(*kernel.attribution)) continue;
      if (kernel.verdict == Verdict::preapproved) continue;  // by this change, and accepted
      if (first) text_ += "\nNot by this change:\n";
      first = false;
      line(short_name(kernel.name) + ":", 2);
      attribution(kernel);
    }
  }

  // A pass that somebody answers for is told with their name.
  void preapproved() {
    bool first = true;
    for (const KernelResult& kernel : result_.kernels) {
      if (kernel.verdict != Verdict::preapproved) continue;
      if (first) text_ += "\nAccepted beforehand:\n";
      first = false;
      line(short_name(kernel.name) + ": " + one_line(kernel.reason), 2);
      for (const verdict::Comparison& one : kernel.comparisons) comparison(one);
    }
  }

  void finding(const KernelResult& kernel) {
    text_ += "  " + short_name(kernel.name) + ": " +
             painted(verdict::name_of(kernel.verdict), tone_of(kernel.verdict), style_.color);
    if (!kernel.path.empty()) text_ += " (" + short_name(kernel.path) + ")";
    text_ += "\n";
    if (!kernel.reason.empty() && !told_by_case(kernel)) line(one_line(kernel.reason), 4);
    for (const verdict::Comparison& one : kernel.comparisons) comparison(one);
    attribution(kernel);
    std::size_t told = 0, left = 0;
    for (const CaseResult& one : kernel.cases) {
      if (!is_told(one)) continue;
      if (told < kMostCases) {
        failed_case(one);
        ++told;
      } else {
        ++left;
      }
    }
    if (left > 0) line(fmt::format("and {} more, in result.json", count(left, "case")), 4);
    const bool in_reason = kernel.reason.find(kernel.compiler_log) != std::string::npos;
    if (kernel.code.empty() && !in_reason) compiler_log(kernel.compiler_log);
    if (kernel.verdict == Verdict::regressed || kernel.verdict == Verdict::suspect) {
      for (const std::string& one : differences_of(kernel)) line(one, 4);
    }
    const std::string remedy = remedy_of(kernel, result_);
    if (!remedy.empty() && !is_interrupted(result_)) what_to_do("what to do: " + remedy);
  }

  void what_to_do(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string one = text.substr(at, end - at);
      if (one.starts_with("  ")) {
        text_ += "    " + one + "\n";
      } else {
        line(one, 4);
      }
      at = end + 1;
    }
  }

  void comparison(const verdict::Comparison& one) {
    if (verdict::passes(one.verdict)) return;
    line(fmt::format("against {}: {}", version_words(one), change(one.ratio, one.low, one.high)), 4);
  }

  void failed_case(const CaseResult& one) {
    std::vector<std::string> sizes;
    for (const auto& [name, size] : one.sizes) sizes.push_back(fmt::format("{} = {}", one_line(name), size));
    std::string text = short_name(one.name);
    if (!sizes.empty()) text += " (" + list(sizes) + ")";
    line(text + ": " + case_words(one), 4);
    for (const std::string& mismatch : mismatch_lines(one)) line(mismatch, 6);
  }

  // As it came, but neutral: the compiler's own line breaks and columns point at the place.
  void compiler_log(const std::string& log) {
    const std::string shown = neutral(log);
    std::size_t lines = 0, left = 0;
    for (std::size_t at = 0; at < shown.size();) {
      const std::size_t end = std::min(shown.find('\n', at), shown.size());
      if (lines < kMostLogLines) {
        std::string one = "      " + cut(shown.substr(at, end - at), kLongestText);
        one.erase(one.find_last_not_of(' ') + 1);
        text_ += one + "\n";
        ++lines;
      } else {
        ++left;
      }
      at = end + 1;
    }
    if (left > 0) line(fmt::format("and {} more, in result.json", count(left, "line")), 6);
  }

  std::string fingerprint_text(const char* axis, const char* field) const {
    const Json& whole = result_.fingerprint;
    if (!whole.is_object() || !whole.contains(axis) || !whole[axis].is_object() || !whole[axis].contains(field))
      return {};
    return compact(whole[axis][field]);
  }

  void machine() {
    std::vector<std::string> parts;
    if (!result_.device_name.empty()) parts.push_back(one_line(result_.device_name));
    if (!result_.devices.empty()) {
      parts.push_back(count(result_.devices.size(), "GPU"));
    } else if (!result_.device_uuid.empty()) {
      parts.push_back(one_line(result_.device_uuid));
    }
    const std::string driver = fingerprint_text("driver", "version");
    if (!driver.empty() && result_.backend != "host") parts.push_back("driver " + driver);
    parts.push_back("sandbox " + one_line(result_.sandbox));
    line("machine: " + list(parts), 0);
    sanitizer();
    for (const std::string& one : device_lines(result_)) line(one, 2);
    const std::string state = result_.devices.empty() ? state_of(result_.environment) : "";
    if (!state.empty()) line("state: " + state, 0);
    if (result_.total_s > 0) {
      line(fmt::format("took {:.1f} s: compile {:.1f}, check {:.1f}, time {:.1f}, wait {:.1f}", result_.total_s,
                       result_.compile_s, result_.check_s, result_.time_s, result_.wait_s),
           0);
    }
  }

  void sanitizer() {
    if (!result_.sanitizer) return;
    const auto& all = *result_.sanitizer;
    if (!all.available) return line("sanitizer: no compute-sanitizer that starts was found", 0);
    std::string text = "sanitizer: compute-sanitizer " + one_line(all.version);
    if (all.tools.empty()) return line(text + ", nothing was run under it", 0);
    std::vector<std::string> tools;
    for (const std::string& tool : all.tools) {
      const auto found = std::count_if(all.findings.begin(), all.findings.end(),
                                       [&](const auto& finding) { return finding.tool == tool; });
      tools.push_back(fmt::format("{} {}", one_line(tool), found == 0 ? "nothing" : std::to_string(found)));
    }
    line(text + " found: " + list(tools) + "; its children under sandbox " + one_line(all.sandbox), 0);
  }

  void again() {
    const std::string command = reproduce(result_);
    if (!command.empty()) text_ += "again: " + command + "\n";
  }

  const Result& result_;
  const TextStyle& style_;
  std::size_t width_;
  std::string text_;
};

}  // namespace

TextParts text_parts(const Result& result, const TextStyle& style) {
  return Writer(result, style).write();
}

std::string write_text(const Result& result, const TextStyle& style) {
  const TextParts parts = text_parts(result, style);
  if (style.quiet) return parts.answer;
  return parts.answer + (parts.table.empty() ? "" : "\n" + parts.table) + "\n" + parts.machine + parts.again;
}

}  // namespace kgate::report
