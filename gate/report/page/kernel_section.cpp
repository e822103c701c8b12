#include "gate/report/page/kernel_section.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/machine_state.h"
#include "gate/report/page/attribution_bars.h"
#include "gate/report/page/case_tables.h"
#include "gate/report/page/sample_plot.h"
#include "gate/report/page/version_tables.h"

namespace kgate::report {
namespace {

using verdict::CaseResult;
using verdict::KernelResult;
using verdict::Verdict;

constexpr std::size_t kMostPlots = 40, kMostWherePassed = 10, kPlotBytes = 12'000, kOpenPlots = 3, kMostTrace = 60,
                      kMostFindings = 60, kMostWarnings = 20;

std::string lines_list(const std::vector<std::string>& lines, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) text += "<li>" + escaped(lines[i], 300) + "</li>\n";
  if (lines.size() > most) text += fmt::format("<li>and {} more: result.json</li>\n", lines.size() - most);
  return text;
}

// The timed cases, the worst first.
std::vector<std::pair<const CaseResult*, std::optional<Measured>>> timed_cases(const KernelResult& kernel) {
  std::vector<std::pair<const CaseResult*, std::optional<Measured>>> all;
  for (const CaseResult& one : kernel.cases) {
    if (one.time) all.emplace_back(&one, measured(one));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    const bool first = verdict::passes(a.first->verdict), second = verdict::passes(b.first->verdict);
    if (first != second) return second;
    return (a.second ? a.second->ratio : 0) > (b.second ? b.second->ratio : 0);
  });
  return all;
}

std::string rule_words(std::string rule) {
  std::replace(rule.begin(), rule.end(), '_', ' ');
  return rule;
}

// What the kernel did in one glance, for a line that is closed.
std::string glance(const KernelResult& kernel) {
  const auto bad = static_cast<std::size_t>(std::count_if(
      kernel.cases.begin(), kernel.cases.end(), [](const CaseResult& one) { return !verdict::passes(one.verdict); }));
  std::string text = count(kernel.cases.size(), "case");
  if (bad > 0) text += fmt::format(", {} {} not pass", bad, bad == 1 ? "does" : "do");
  if (!kernel.comparisons.empty() && kernel.comparisons.front().timed())
    text += ", " + change(kernel.comparisons.front().ratio);
  return text;
}

}  // namespace

void KernelSection::part(std::string& into, const char* heading, std::string markup) {
  if (markup.empty()) return;
  into += fmt::format("<h3>{}</h3>\n", heading);
  into += rooms_.evidence.take(std::move(markup), "<p class=\"dim\">No room on this page: result.json has it.</p>\n");
}

std::string KernelSection::cases_of(const Entry& entry) {
  return case_table(*entry.kernel, rooms_.cases);
}

std::string KernelSection::head(const Entry& entry) const {
  return fmt::format(
      "<details class=\"kernel\"{}><summary>{} <b>{}</b> <span class=\"dim\">{}{}</span></summary>\n<div "
      "id=\"{}\">\n",
      entry.blocks ? " open=\"open\"" : "", badge(entry.kernel->verdict), entry.name, entry.blocks ? "blocks; " : "",
      glance(*entry.kernel), entry.id);
}

std::string KernelSection::about(const Entry& entry) const {
  const KernelResult& kernel = *entry.kernel;
  std::string signers = kernel.cases_signers.empty() ? kernel.cases_digest.empty() ? "" : "not signed"
                                                     : "signed by " + escaped(list(kernel.cases_signers), 200);
  std::string cases = short_hash(kernel.cases_digest);
  if (kernel.cases_revision != 0) cases += fmt::format(", revision {}", kernel.cases_revision);
  if (!signers.empty()) cases += ", " + signers;
  return facts_list(
      {{"found", escaped(kernel.reason, 600)},
       {"caused by", escaped(list(kernel.causes))},
       {"kernel file", escaped(kernel.path)},
       {"machine code", kernel.code.empty()        ? ""
                        : kernel.code == "changed" ? "changed, " + short_hash(kernel.code_digest)
                                                   : escaped(kernel.code, 40) + ", " + short_hash(kernel.code_digest)},
       {"sources", short_hash(kernel.sources_digest)},
       {"cases file", cases}});
}

std::string KernelSection::plots(const Entry& entry) const {
  std::string text;
  std::size_t drawn = 0, left = 0;
  const std::size_t most = verdict::passes(entry.kernel->verdict) ? kMostWherePassed : kMostPlots;
  for (const auto& [one, time] : timed_cases(*entry.kernel)) {
    const auto found = samples_.find({entry.kernel->name, one->name});
    const std::string trace = lines_list(one->time->trace, kMostTrace);
    if (found == samples_.end() && trace.empty()) continue;
    if (drawn == most || !rooms_.evidence.has(text.size() + kPlotBytes)) {
      ++left;
      continue;
    }
    std::string body = found == samples_.end() ? "" : sample_figure(*found->second, time);
    if (!trace.empty()) body += "<p class=\"dim label\">look by look</p>\n<ol>\n" + trace + "</ol>\n";
    std::string summary = "<b>" + escaped(one->name, 80) + "</b> " + badge(one->verdict);
    if (time) summary += " " + change(time->ratio, time->low, time->high);
    text += fold(summary, body, drawn < kOpenPlots && !verdict::passes(one->verdict));
    ++drawn;
  }
  if (left > 0) text += fmt::format("<p class=\"dim\">{} more: samples/ and result.json</p>\n", count(left, "case"));
  if (text.empty()) return {};
  const std::string state = state_of(result_.environment);
  if (!state.empty()) text += "<p class=\"dim\">The machine during the run: " + escaped(state, 600) + "</p>\n";
  return text;
}

std::string KernelSection::findings(const Entry& entry) const {
  Table table{"", {"found by", "where", "what", ""}, {}};
  std::size_t all = 0;
  const auto add = [&](std::vector<Cell> row) {
    if (all++ < kMostFindings) table.rows.push_back(std::move(row));
  };
  if (result_.sanitizer) {
    for (const auto& one : result_.sanitizer->findings) {
      if (one.kernel != entry.kernel->name) continue;
      std::string where = escaped(one.file, 120);
      if (one.line != 0) where += fmt::format(":{}", one.line);
      if (!one.case_name.empty()) where += ", case " + escaped(one.case_name, 80);
      add({{escaped(one.tool, 40) + ", " + escaped(one.severity, 20)},
           {where},
           {escaped(rule_words(one.kind), 40) + ": " + escaped(one.what, 300)},
           {one.count > 1 ? fmt::format("{} times", one.count) : ""}});
    }
  }
  for (const bool in_base : {false, true}) {
    for (const lint::Finding& one : entry.kernel->lint) {
      if (one.in_base == in_base)
        add({{"lint, " + escaped(rule_words(one.rule), 40)},
             {escaped(one.where, 120)},
             {escaped(one.what, 300)},
             {in_base ? "the base has it too" : ""}});
    }
  }
  std::string text = table_of(table);
  if (all > kMostFindings) text += fmt::format("<p class=\"dim\">{} more: result.json</p>\n", all - kMostFindings);
  return text;
}

std::string KernelSection::write(const Entry& entry, const std::string& cases) {
  const KernelResult& kernel = *entry.kernel;
  std::string text = rooms_.cases.take(head(entry) + about(entry));
  if (text.empty()) return {};
  if (!kernel.warnings.empty())
    text += rooms_.cases.take("<ul>\n" + lines_list(kernel.warnings, kMostWarnings) + "</ul>\n");
  if (!cases.empty()) text += "<h3>Cases</h3>\n" + cases;
  part(text, "Compared with", comparison_table(kernel));
  part(text, "Cases beside each version", case_comparisons(kernel));
  if (kernel.attribution) part(text, "Why: where the time went", attribution_bars(*kernel.attribution));
  // The log is why there is nothing else.
  const bool log_first = kernel.code.empty();
  if (log_first) part(text, "The compiler", block_of(kernel.compiler_log));
  part(text, "Samples", plots(entry));
  part(text, "What differs", difference_blocks(kernel, entry.blocks));
  part(text, "Resources", resource_table(kernel));
  part(text, "Machine code", machine_code_table(kernel));
  part(text, "Numerics",
       fold("errors against the reference", numerics_table(kernel), kernel.verdict == Verdict::wrong && entry.blocks));
  part(text, "Findings", findings(entry));
  if (!log_first) part(text, "The compiler", fold("its words", block_of(kernel.compiler_log)));
  return text + "</div>\n</details>\n";
}

}  // namespace kgate::report
