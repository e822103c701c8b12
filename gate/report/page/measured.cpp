#include "gate/report/page/measured.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/meaning.h"

namespace kgate::report {
namespace {

using verdict::CaseResult;
using verdict::KernelResult;
using verdict::Verdict;

constexpr std::size_t kNameColumns = 80;

std::optional<Measured> if_sane(Measured time) {
  for (const double number : {time.ratio, time.low, time.high}) {
    if (!std::isfinite(number) || !(number > 0)) return std::nullopt;
  }
  if (time.zone && !(std::isfinite(time.zone->tolerate) && std::isfinite(time.zone->block))) time.zone.reset();
  return time;
}

Verdict severity(Verdict verdict) {
  return verdict::passes(verdict) ? Verdict::pass : verdict;
}

double worst_ratio(const KernelResult& kernel) {
  double worst = 0;
  for (const CaseResult& one : kernel.cases) {
    if (const auto time = measured(one)) worst = std::max(worst, time->ratio);
  }
  return worst;
}

}  // namespace

std::optional<Measured> measured(const CaseResult& one) {
  const auto has_verdict = [&](const auto& other) { return other.timed && other.verdict == one.verdict; };
  const auto telling = std::find_if(one.comparisons.begin(), one.comparisons.end(), has_verdict);
  if (telling != one.comparisons.end() && (telling != one.comparisons.begin() || !one.time)) {
    return if_sane({telling->against, telling->before_us, telling->candidate_us, telling->ratio, telling->low,
                    telling->high, telling->zone});
  }
  if (!one.time) return std::nullopt;
  const auto& time = *one.time;
  return if_sane({one.comparisons.empty() ? "" : one.comparisons.front().against, time.base_us, time.candidate_us,
                  time.ratio, time.low, time.high, time.zone});
}

std::vector<Entry> in_order(const verdict::Result& result) {
  struct Weighed {
    Entry entry;
    double ratio;
  };
  std::vector<Weighed> all;
  for (const KernelResult& kernel : result.kernels)
    all.push_back(
        {{&kernel, "", escaped(kernel.name, kNameColumns), !verdict::passes(kernel.verdict) && blocks(kernel, result)},
         worst_ratio(kernel)});
  std::stable_sort(all.begin(), all.end(), [](const Weighed& a, const Weighed& b) {
    if (a.entry.blocks != b.entry.blocks) return a.entry.blocks;
    const Verdict first = severity(a.entry.kernel->verdict), second = severity(b.entry.kernel->verdict);
    return first != second ? first > second : a.ratio > b.ratio;
  });
  std::vector<Entry> entries;
  for (const Weighed& one : all) {
    entries.push_back(one.entry);
    entries.back().id = fmt::format("k{}", entries.size());
  }
  return entries;
}

std::vector<Row> rows_of(const std::vector<Entry>& kernels) {
  std::vector<Row> rows;
  for (const Entry& entry : kernels) {
    bool told = verdict::passes(entry.kernel->verdict);
    for (const CaseResult& one : entry.kernel->cases) {
      const auto time = measured(one);
      if (!time && verdict::passes(one.verdict)) continue;
      told = told || !verdict::passes(one.verdict);
      rows.push_back({&entry, &one, time, one.verdict});
    }
    if (!told) rows.push_back({&entry, nullptr, std::nullopt, entry.kernel->verdict});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    const Verdict first = severity(a.verdict), second = severity(b.verdict);
    if (first != second) return first > second;
    return (a.time ? a.time->ratio : HUGE_VAL) > (b.time ? b.time->ratio : HUGE_VAL);
  });
  return rows;
}

std::string since(const KernelResult& kernel, const std::string& against) {
  const auto& all = kernel.comparisons;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.against == against; });
  const auto* const one = found != all.end() ? &*found : all.empty() || !against.empty() ? nullptr : &all.front();
  const std::string what = one == nullptr ? against : one->against;
  const std::string name = what == "base"           ? "the base"
                           : what == "accepted"     ? "what was accepted"
                           : what == "last-release" ? "the last release"
                           : what.empty()           ? "the version before"
                                                    : one_line(what);
  std::vector<std::string> place;
  if (one != nullptr && !one->release.empty()) place.push_back(one_line(one->release));
  if (one != nullptr && one->sequence != 0) place.push_back(fmt::format("record {}", one->sequence));
  if (one != nullptr && place.empty() && !one->commit.empty()) place.push_back(one_line(one->commit).substr(0, 10));
  return place.empty() ? name : fmt::format("{} ({})", name, list(place));
}

}  // namespace kgate::report
