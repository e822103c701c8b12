#include "gate/report/search/text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "gate/report/format.h"

namespace kgate::report {
namespace {

using search::journal::Row;
using search::journal::Summary;

constexpr std::size_t kMostRows = 200, kLeastWords = 20;

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t wide = columns(text);
  return text + std::string(width > wide ? width - wide : 0, ' ');
}

// What it was about: a repair, a trial in parts, or the idea itself.
std::string about(const Row& row) {
  if (row.number == 0) return "the version to begin with";
  std::string words;
  if (row.repair_of != 0) words = fmt::format("repairs {}: ", row.repair_of);
  if (row.ablation_of != 0) words = fmt::format("parts of {}: ", row.ablation_of);
  for (std::size_t i = 0; i < row.hypotheses.size(); ++i) words += (i == 0 ? "" : "; ") + row.hypotheses[i];
  return words;
}

std::string table_of(const Summary& summary, std::size_t width) {
  std::vector<std::vector<std::string>> lines{{"", "proposal", "proposer", "outcome", "time", "idea, and why"}};
  const std::size_t old = summary.rows.size() > kMostRows ? summary.rows.size() - kMostRows : 0;
  std::size_t left_out = 0;
  for (const Row& row : summary.rows) {
    if (row.number != 0 && row.number != summary.best && row.number <= static_cast<std::int64_t>(old)) {
      ++left_out;
      continue;
    }
    std::string words = about(row);
    if (row.score == 0 && !row.reason.empty()) words += (words.empty() ? "" : ": ") + row.reason;
    lines.push_back({row.number == summary.best ? "*" : "", row.number == 0 ? "" : std::to_string(row.number),
                     short_line(row.proposer, 16), row.number == 0 && row.score > 0 ? "" : row.outcome,
                     search_time(row), short_line(words, 300)});
  }
  std::string text;
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], columns(line[i]));
  }
  for (const auto& line : lines) {
    std::string out;
    for (std::size_t i = 0; i + 1 < line.size(); ++i) out += padded(line[i], widths[i]) + (i == 0 ? " " : "  ");
    const std::size_t left = std::max(kLeastWords, width > columns(out) ? width - columns(out) : 0);
    out += cut(line.back(), left);
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
  }
  if (left_out > 0) text += fmt::format("{} more: summary.json\n", left_out);
  return text;
}

}  // namespace

std::string search_time(const Row& row) {
  if (row.score <= 0 || row.number == 0) return {};
  return row.quick ? change(row.score) : change(row.score, row.low, row.high);
}

std::string search_headline(const Summary& summary) {
  const Row& best = summary.winner();
  if (summary.best == 0) return "nothing better was found";
  const std::string found = fmt::format("proposal {} takes {} of the baseline's time as the search measured it",
                                        best.number, fmt::format("{:.1f} %", 100 * best.score));
  const auto& confirmed = summary.confirmation;
  if (!confirmed) return found + "; that was not confirmed";
  if (!confirmed->better)
    return fmt::format("{}, and the gate does not confirm it: {}", found,
                       confirmed->reason.empty() ? confirmed->verdict : one_line(confirmed->reason));
  return fmt::format("a better version was found: {}, confirmed by the gate ({})",
                     change(confirmed->ratio, confirmed->low, confirmed->high), confirmed->verdict);
}

std::vector<std::string> search_passed_over(const Summary& summary) {
  std::vector<std::string> lines;
  for (const auto& one : summary.passed_over)
    lines.push_back(fmt::format("proposal {} seemed better, and the gate does not confirm it: {}", one.number,
                                one.reason.empty() ? one_line(one.verdict) : one_line(one.reason)));
  return lines;
}

std::string search_end(const Summary& summary) {
  if (!summary.stopped) return "it was interrupted, and goes on where it is started once more";
  return fmt::format("it ended by {}: {}", summary.stopped->why, one_line(summary.stopped->reason));
}

std::vector<std::string> search_costs(const Summary& summary) {
  const auto& costs = summary.costs;
  const auto& pay_back = summary.pay_back;
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{:.0f} s, of which {:.1f} s on the GPU and {:.1f} s of compiling", costs.wall_s,
                              costs.gpu_s, costs.compile_s));
  if (costs.tokens > 0 || costs.cost_usd > 0)
    lines.push_back(fmt::format("{} tokens, {:.2f} USD to models", costs.tokens, costs.cost_usd));
  // What the gate does not confirm saves nobody anything.
  if (summary.confirmation && !summary.confirmation->better) return lines;
  if (pay_back.saved_us > 0)
    lines.push_back(fmt::format("a launch takes {} us less, as the cases' weights have it", value(pay_back.saved_us)));
  if (pay_back.launches_a_month) {
    lines.push_back(fmt::format("at {:g} USD a GPU hour it cost {} USD; {} launches in a month pay that back",
                                pay_back.usd_per_gpu_hour, value(pay_back.usd), value(*pay_back.launches_a_month)));
  }
  return lines;
}

std::string write_search_text(const Summary& summary, int width, const std::string& folder) {
  const auto wide = static_cast<std::size_t>(std::max(width, 40));
  const std::string kernel = short_name(summary.header.kernel);
  std::string text =
      wrap(kernel + ": " + search_headline(summary), wide, 0) + "\n" + wrap(search_end(summary), wide, 0) + "\n";
  for (const std::string& line : search_passed_over(summary)) text += wrap(line, wide, 0) + "\n";
  text += "\n";
  text += table_of(summary, wide) + "\n";
  for (const std::string& line : search_costs(summary)) text += wrap(line, wide, 0) + "\n";
  if (summary.confirmation && summary.confirmation->better)
    text += fmt::format("\nTo take it: git apply {}/best.patch\n", one_line(folder));
  return text;
}

}  // namespace kgate::report
