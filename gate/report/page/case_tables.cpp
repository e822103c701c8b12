#include "gate/report/page/case_tables.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/page/measured.h"

namespace kgate::report {
namespace {

using verdict::CaseResult;
using verdict::KernelResult;
using verdict::Numerics;

constexpr std::size_t kNameColumns = 80, kReasonColumns = 300, kMostSizes = 12;
constexpr std::size_t kMostRows = 3000;
constexpr std::size_t kColumns = 9;
// What a row may be long, where nobody means harm.
constexpr std::size_t kRowBytes = 1200;

std::vector<const CaseResult*> worst_first(const KernelResult& kernel) {
  std::vector<const CaseResult*> all;
  for (const CaseResult& one : kernel.cases) all.push_back(&one);
  std::stable_partition(all.begin(), all.end(), [](const CaseResult* one) { return !verdict::passes(one->verdict); });
  return all;
}

std::string sizes_of(const CaseResult& one) {
  std::string text;
  std::size_t told = 0;
  for (const auto& [name, size] : one.sizes) {
    if (told++ == kMostSizes) return text + ", ...";
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", escaped(name, 30), size);
  }
  return text;
}

std::string measured_how(const verdict::Timing& time) {
  std::string how = fmt::format("{} blocks in {}", time.blocks,
                                count(static_cast<std::size_t>(std::max<std::int64_t>(0, time.rounds)), "round"));
  if (time.dropped != 0) how += fmt::format(", {} dropped", time.dropped);
  if (!time.regime.empty()) how += ", " + escaped(time.regime, 30);
  if (time.launches_per_sample > 1) how += fmt::format(", {} launches a sample", time.launches_per_sample);
  if (time.checked != 0) how += fmt::format(", {} samples checked", time.checked);
  return how;
}

std::vector<Cell> row_of(const CaseResult& one) {
  std::string name = "<b>" + escaped(one.name, kNameColumns) + "</b>", verdict = badge(one.verdict);
  if (!one.sizes.empty()) name += fmt::format(" <span class=\"dim\">{}</span>", sizes_of(one));
  if (!one.reason.empty())
    verdict += fmt::format(" <span class=\"dim\">{}</span>", escaped(one.reason, kReasonColumns));
  std::vector<Cell> cells{{std::move(name)}, {escaped(one.role, 30)}, {std::move(verdict)}};
  if (!one.time) {
    cells.resize(kColumns);
    return cells;
  }
  const auto& time = *one.time;
  const auto number = [&](std::string text) { cells.push_back({std::move(text), true}); };
  number(fmt::format("{} → {}", microseconds(time.base_us), microseconds(time.candidate_us)));
  number(change(time.ratio, time.low, time.high));
  number(change(time.p95_ratio));
  number(time.gbps ? rate(*time.gbps) : "");
  number(time.gflops ? rate(*time.gflops) : "");
  cells.push_back({measured_how(time)});
  return cells;
}

// "12 of 1147; first at [3, 17]: expected 0.0123, got 0.0456"
std::string mismatch_of(const Numerics& output) {
  if (output.mismatched == 0) return "none";
  std::string text = std::to_string(output.mismatched);
  if (output.elements > 0) text += fmt::format(" of {}", output.elements);
  if (output.first_mismatch.empty()) return text;
  std::string place;
  for (std::size_t i = 0; i < std::min<std::size_t>(output.first_mismatch.size(), 8); ++i)
    place += fmt::format("{}{}", i == 0 ? "" : ", ", output.first_mismatch[i]);
  return text + fmt::format("; first at [{}]: expected {}, got {}", place, value(output.first_expected),
                            value(output.first_got));
}

}  // namespace

std::string case_table(const KernelResult& kernel, Room& room) {
  Table table{"", {"case", "role", "verdict", "µs", "change", "95th percentile", "GB/s", "GFLOP/s", "measured"}, {}};
  const auto cases = worst_first(kernel);
  std::size_t shown = std::min(cases.size(), kMostRows);
  while (shown > 0 && !room.has(shown * kRowBytes / 2)) shown /= 2;
  for (std::size_t i = 0; i < shown; ++i) table.rows.push_back(row_of(*cases[i]));
  std::string text = room.take(table_of(table));
  const std::size_t left = text.empty() ? cases.size() : cases.size() - shown;
  if (left > 0) text += fmt::format("<p class=\"dim\">{} more: result.json</p>\n", count(left, "case"));
  return text;
}

std::string case_comparisons(const KernelResult& kernel) {
  Table table{"", {"case", "beside", "before µs", "candidate µs", "change", "tolerated, blocked", "verdict"}, {}};
  for (const CaseResult* one : worst_first(kernel)) {
    if (one->comparisons.size() < 2) continue;
    for (const auto& other : one->comparisons) {
      if (table.rows.size() == kMostRows) break;
      const bool first = &other == &one->comparisons.front();
      std::vector<Cell> cells{{"<b>" + escaped(one->name, kNameColumns) + "</b>"},
                              {escaped(since(kernel, other.against), 80)}};
      if (!first) cells[0].markup = fmt::format("<span class=\"again\">{}</span>", escaped(one->name, kNameColumns));
      if (other.timed) {
        cells.push_back({microseconds(other.before_us), true});
        cells.push_back({microseconds(other.candidate_us), true});
        cells.push_back({change(other.ratio, other.low, other.high), true});
        cells.push_back(
            {other.zone ? fmt::format("to {}, from {}", change(1 + other.zone->tolerate), change(1 + other.zone->block))
                        : "",
             true});
      } else {
        cells.push_back({"equal machine code"});
        cells.resize(6);
      }
      cells.push_back({badge(other.verdict)});
      table.rows.push_back(std::move(cells));
    }
  }
  return table_of(table);
}

std::string numerics_table(const KernelResult& kernel) {
  Table table{"",
              {"case", "output", "outside the tolerance", "largest error", "largest relative error", "rms",
               "the base's rms", "bias"},
              {}};
  for (const CaseResult* one : worst_first(kernel)) {
    for (const auto& [name, output] : one->numerics) {
      if (table.rows.size() == kMostRows) break;
      table.rows.push_back({{"<b>" + escaped(one->name, kNameColumns) + "</b>"},
                            {escaped(name, 60)},
                            {mismatch_of(output)},
                            {value(output.max_abs), true},
                            {value(output.max_rel), true},
                            {value(output.rms), true},
                            {output.base_rms ? value(*output.base_rms) : "", true},
                            {value(output.bias), true}});
    }
  }
  return table_of(table);
}

}  // namespace kgate::report
