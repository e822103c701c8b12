#include "gate/search/score.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"
#include "gate/stats/weighted_ratio.h"

// When is a candidate better? Of fifty candidates that are all as fast as the best, the one that looks fastest is taken
// for a winner by whoever compares points. Where the two were measured side by side, what counts is the upper bound of
// that ratio, at a level of one in a hundred a candidate: a gate has to be wrong far more rarely, but at a gate's level
// a search passes by most of the 2 and 3 % that there are to be found (on an H200 the tuner stopped 2.9 % short of a
// sweep's best setting, which it had measured three times and not believed). Where they were not, two independent
// estimates differ when their distance is more than the root of the sum of their squared half widths: comparing one's
// upper bound with the other's lower one refuses real gains of the width of both, and the upper bound with the best's
// point forgets that the best was chosen because it looked fast. Either still finds a false winner now and then, which
// is then no slower than the true one by more than its interval is wide; what is told to the user is not this figure
// but that of the replay, measured anew and corrected for the number of candidates.
namespace kgate::search {
namespace {

stats::Interval interval_of(const CaseTime& one) {
  return {one.ratio, one.low, one.high};
}

stats::Interval interval_of(const Evaluation& one) {
  return {one.score, one.score_low, one.score_high};
}

// In ln ratio; infinite where nothing is known.
double half_width(const stats::Interval& one) {
  if (!(one.low > 0) || !std::isfinite(one.high) || !(one.high >= one.low)) return HUGE_VAL;
  return std::log(one.high / one.low) / 2;
}

}  // namespace

stats::Interval score_of(const std::vector<CaseTime>& cases) {
  stats::WeightedRatio mean;
  for (const CaseTime& one : cases) mean.add(interval_of(one), one.weight);
  return mean.mean();
}

stats::Interval bounded(const stats::Interval& one) {
  return {one.ratio, std::max(one.low, 1e-6), std::min(one.high, stats::kUnknownRatio / 2)};
}

int compare(const stats::Interval& one, const stats::Interval& other) {
  const double distance = std::log(one.ratio / other.ratio);
  const double width = std::hypot(half_width(one), half_width(other));
  // Written so that what is no number proves nothing.
  if (distance < -width) return -1;
  return distance > width ? 1 : 0;
}

int compare(const Evaluation& one, const Evaluation& other) {
  return compare(interval_of(one), interval_of(other));
}

int compare(const CaseTime& one, const CaseTime& other) {
  return compare(interval_of(one), interval_of(other));
}

bool is_timed(const Evaluation& evaluation) {
  return (evaluation.outcome == Outcome::slower || evaluation.outcome == Outcome::better) && evaluation.score > 0 &&
         !evaluation.cases.empty();
}

const CaseTime& time_of(const Evaluation& evaluation, const std::string& name) {
  for (const CaseTime& one : evaluation.cases) {
    if (one.name == name) return one;
  }
  throw Error(ErrorKind::internal, fmt::format("case {}", kgate::quoted(name)), "was not timed in the best version");
}

const CaseTime* over_limit(const Evaluation& evaluation, double zone) {
  const auto found = std::find_if(evaluation.cases.begin(), evaluation.cases.end(),
                                  [&](const CaseTime& one) { return one.ratio > 1 + zone; });
  return found == evaluation.cases.end() ? nullptr : &*found;
}

Judgement judge(const Evaluation& candidate, const Evaluation& best, double zone) {
  if (candidate.quick) return {false, "a quick look was enough: it is no better than the best"};
  const bool beside = candidate.beside_high > 0;
  const double against = beside ? candidate.beside : candidate.score / best.score;
  const int order = !beside                     ? compare(candidate, best)
                    : candidate.beside_high < 1 ? -1
                    : candidate.beside_low > 1  ? 1
                                                : 0;
  if (order >= 0) {
    if (std::abs(against - 1) < 0.0005) return {false, "takes as long as the best"};
    if (order > 0 || against > 1)
      return {false, fmt::format("takes {:.1f} % more time than the best", 100 * (against - 1))};
    return {false,
            fmt::format("seems to take {:.1f} % less time than the best, which is not proved", 100 * (1 - against))};
  }
  if (const CaseTime* slow = over_limit(candidate, zone)) {
    return {false,
            fmt::format("takes {:.1f} % less time than the best, but case {} is {:.1f} % slower than the baseline's; "
                        "{:g} % are allowed",
                        100 * (1 - against), kgate::quoted(slow->name), 100 * (slow->ratio - 1), 100 * zone)};
  }
  return {true, fmt::format("takes {:.1f} % less time than the best before it", 100 * (1 - against))};
}

std::optional<double> floor_of(const Evaluation& evaluation) {
  stats::WeightedRatio mean;
  for (const CaseTime& one : evaluation.cases) {
    if (!(one.floor_us > 0) || !(one.baseline_us > 0)) return std::nullopt;
    const double floor = one.floor_us / one.baseline_us;
    mean.add({floor, floor, floor}, one.weight);
  }
  if (mean.empty()) return std::nullopt;
  return mean.mean().ratio;
}

}  // namespace kgate::search
