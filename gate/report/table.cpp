#include "gate/report/table.h"

#include <algorithm>
#include <array>

#include "gate/report/format.h"

namespace kgate::report {
namespace {

using verdict::CaseResult;
using verdict::KernelResult;
using verdict::Timing;
using verdict::Verdict;

enum Column : std::size_t { kernel, name, found, base, candidate, ratio, gbps, gflops, column_count };

constexpr std::array<const char*, column_count> kTitles{"kernel",       "case",   "verdict", "base µs",
                                                        "candidate µs", "change", "GB/s",    "GFLOP/s"};
// What can be done without, first things first; the others always stay.
constexpr std::array<Column, 4> kDispensable{gflops, gbps, base, candidate};
constexpr std::size_t kGap = 2;
constexpr std::size_t kLongestName = 32;

struct Row {
  std::array<std::string, column_count> cells;
  Tone tone = Tone::good;
};

Row row_of(Verdict verdict) {
  Row row;
  row.cells[found] = verdict::name_of(verdict);
  row.tone = tone_of(verdict);
  return row;
}

Row row_of(const CaseResult& one) {
  Row row = row_of(one.verdict);
  row.cells[name] = cut(one_line(one.name), kLongestName);
  if (one.time) {
    const Timing& time = *one.time;
    row.cells[base] = microseconds(time.base_us);
    row.cells[candidate] = microseconds(time.candidate_us);
    row.cells[ratio] = change(time.ratio, time.low, time.high);
    if (time.gbps) row.cells[gbps] = rate(*time.gbps);
    if (time.gflops) row.cells[gflops] = rate(*time.gflops);
  }
  return row;
}

// What the cases say together does not always explain the kernel's verdict: limits on resources, creep, a source that
// does not compile.
Row summary_of(const KernelResult& one) {
  Row row = row_of(one.verdict);
  row.cells[name] = one.cases.empty() ? "-" : "all cases";
  if (!one.comparisons.empty()) {
    const verdict::Comparison& first = one.comparisons.front();
    if (first.timed()) row.cells[ratio] = change(first.ratio, first.low, first.high);
  }
  return row;
}

std::vector<Row> rows_of(const KernelResult& one) {
  std::vector<Row> rows;
  std::vector<Verdict> verdicts;
  std::vector<const CaseResult*> quiet;
  for (const CaseResult& each : one.cases) {
    verdicts.push_back(each.verdict);
    const bool plain = !each.time && verdict::passes(each.verdict);
    if (plain) {
      quiet.push_back(&each);
    } else {
      rows.push_back(row_of(each));
    }
  }
  if (quiet.size() == 1) rows.push_back(row_of(*quiet.front()));
  if (quiet.size() > 1) {
    Row row = row_of(Verdict::pass);
    row.cells[name] = std::to_string(quiet.size()) + (rows.empty() ? "" : " more") + " checked";
    rows.push_back(std::move(row));
  }
  const bool explained =
      !one.cases.empty() && (verdict::passes(one.verdict) || verdict::worst(verdicts) == one.verdict);
  if (!explained) rows.insert(rows.begin(), summary_of(one));
  rows.front().cells[kernel] = cut(one_line(one.name), kLongestName);
  return rows;
}

using Widths = std::array<std::size_t, column_count>;  // 0: left out

Widths widths_of(const std::vector<Row>& rows) {
  Widths widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < column_count; ++i) widths[i] = std::max(widths[i], columns(row.cells[i]));
  }
  for (std::size_t i = 0; i < column_count; ++i) {
    if (widths[i] > 0) widths[i] = std::max(widths[i], columns(kTitles[i]));
  }
  return widths;
}

std::size_t total(const Widths& widths) {
  std::size_t sum = 0;
  for (const std::size_t width : widths) sum += width == 0 ? 0 : width + kGap;
  return sum;
}

std::string line_of(const std::array<std::string, column_count>& cells, const Widths& widths, Tone tone, bool color) {
  std::string line;
  for (std::size_t i = 0; i < column_count; ++i) {
    if (widths[i] == 0) continue;
    const std::string pad(widths[i] - columns(cells[i]), ' ');
    const bool numeric = i >= base && i != ratio;
    const std::string text = i == found ? painted(cells[i], tone, color) : cells[i];
    line += "  " + (numeric ? pad + text : text + pad);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// The base may not know the kernel, or not be asked: then what the ledger has accepted is what it equals.
bool is_as_base(const KernelResult& one) {
  return one.comparisons.empty() || std::any_of(one.comparisons.begin(), one.comparisons.end(),
                                                [](const auto& each) { return each.against == "base"; });
}

}  // namespace

bool is_plainly_unchanged(const KernelResult& one) {
  return one.verdict == Verdict::unchanged &&
         std::none_of(one.cases.begin(), one.cases.end(),
                      [](const CaseResult& each) { return each.time.has_value() || !verdict::passes(each.verdict); });
}

std::string write_table(const verdict::Result& result, const TextStyle& style) {
  std::vector<Row> rows;
  std::vector<std::string> as_base, as_accepted;
  for (const KernelResult& one : result.kernels) {
    if (is_plainly_unchanged(one)) {
      (is_as_base(one) ? as_base : as_accepted).push_back(one_line(one.name));
    } else {
      for (Row& row : rows_of(one)) rows.push_back(std::move(row));
    }
  }
  std::string text;
  const auto width = static_cast<std::size_t>(std::max(style.width, 20));
  if (!rows.empty()) {
    Widths widths = widths_of(rows);
    for (const Column column : kDispensable) {
      if (total(widths) > width) widths[column] = 0;
    }
    std::array<std::string, column_count> titles;
    std::copy(kTitles.begin(), kTitles.end(), titles.begin());
    text += line_of(titles, widths, Tone::good, false);
    for (const Row& row : rows) text += line_of(row.cells, widths, row.tone, style.color);
  }
  const auto add_unchanged = [&](const char* whose, const std::vector<std::string>& names) {
    if (names.empty()) return;
    text += wrap(std::string("unchanged (machine code as the ") + whose + "; checked, not timed): " + list(names),
                 width, 2) +
            "\n";
  };
  add_unchanged("base's", as_base);
  add_unchanged("accepted version's", as_accepted);
  std::vector<std::string> elsewhere;
  for (const KernelResult& one : result.kernels) {
    for (const std::string& version : one.not_compared)
      elsewhere.push_back(one_line(one.name) + " with " + one_line(version));
  }
  if (!elsewhere.empty()) {
    text += wrap("not what was accepted, and left as the base has it, so not compared: " + list(elsewhere) +
                     "; with --time-unchanged they are",
                 width, 2) +
            "\n";
  }
  return text;
}

}  // namespace kgate::report
