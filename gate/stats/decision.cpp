#include "gate/stats/decision.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "gate/stats/robust.h"

// The problem: say "slower" or "not slower" of two kernels whose ratio is known from a few dozen noisy blocks, and be
// wrong less than once in a thousand suites. The choice: a robust location with its own error per round, a known spread
// between rounds on top, one interval, and the policy's zone as the two hypotheses. Rejected: tests of "any difference"
// (with blocks enough, everything differs), fixed percentages on medians (no error rate), and a spread estimated from
// two rounds (one degree of freedom: an interval 40 times too wide). The spread between rounds: over the pairs of
// kernels in the H200 traces with new placements, the between-process standard deviation was 0.4 to 2 times what one
// process believed, at most 0.05 % for those that do not live in the L2; 0.06 % covers them.
namespace kgate::stats {
namespace {

struct Interval {
  double center = 0, low = 0, high = 0, half = 0;
  bool known = false;
};

double half_width_factor(const DecisionOptions& options, double freedom) {
  const double level = options.error / static_cast<double>(std::max<std::int64_t>(1, options.cases * options.looks));
  const boost::math::students_t student(std::max(1.0, freedom));
  return boost::math::quantile(boost::math::complement(student, std::clamp(level, 1e-15, 0.5)));
}

Interval interval_of(const Evidence& evidence, const DecisionOptions& options) {
  double total = 0, rounds = 0;
  for (const auto& round : evidence.rounds) {
    total += static_cast<double>(round.size());
    rounds += round.empty() ? 0 : 1;
  }
  Interval interval;
  if (total == 0) return interval;
  double variance = 0, freedom = 0, spread_weight = 0;
  for (const auto& round : evidence.rounds) {
    if (round.empty()) continue;
    const Location location = trimmed_location(round);
    const double weight = static_cast<double>(round.size()) / total;
    interval.center += weight * location.center;
    variance += weight * weight * location.standard_error * location.standard_error;
    spread_weight += weight * weight;
    freedom += location.freedom;
  }
  variance += options.round_spread * options.round_spread * spread_weight;
  interval.half = half_width_factor(options, freedom) * std::sqrt(variance);
  interval.low = interval.center - interval.half;
  interval.high = interval.center + interval.half;
  interval.known = std::isfinite(interval.half);
  return interval;
}

// By the zone alone.
Finding finding_of(const Interval& interval, const Zone& zone) {
  const double tolerate = std::log1p(zone.tolerate), block = std::log1p(zone.block);
  const bool passes = interval.high<block, regressed = interval.low> tolerate;
  if (interval.high < -tolerate) return Finding::faster;
  if (passes && regressed) return interval.center > (tolerate + block) / 2 ? Finding::slower : Finding::not_slower;
  if (passes) return Finding::not_slower;
  return regressed ? Finding::slower : Finding::undecided;
}

std::int64_t blocks_needed(const Interval& interval, const Zone& zone, std::int64_t blocks) {
  const double tolerate = std::log1p(zone.tolerate), block = std::log1p(zone.block);
  // An interval as wide as the zone always answers; one that is nearer to an edge than that is answered by the other
  // edge.
  const double wanted = std::max({block - interval.center, interval.center - tolerate, (block - tolerate) / 2});
  if (!interval.known || !(interval.half > 0)) return 2 * std::max<std::int64_t>(blocks, kMinBlocks);
  const double factor = interval.half / wanted;
  return static_cast<std::int64_t>(
      std::ceil(static_cast<double>(blocks) * std::clamp(factor * factor * 1.1, 1.05, 1e4)));
}

}  // namespace

Zone zone_for(const Zone& zone, double base_us) {
  if (!(base_us > 0)) return zone;
  const double floor = zone.absolute_us / base_us;
  return {std::max(zone.tolerate, floor), std::max(zone.block, 2 * floor), zone.absolute_us};
}

Decision decide(const Evidence& evidence, const DecisionOptions& options) {
  Decision decision;
  std::int64_t enough = 0;
  for (const auto& round : evidence.rounds) {
    decision.blocks += static_cast<std::int64_t>(round.size());
    decision.rounds += round.empty() ? 0 : 1;
    enough += static_cast<std::int64_t>(round.size()) >= kMinBlocks ? 1 : 0;
  }
  const Interval interval = interval_of(evidence, options);
  decision.ratio = std::exp(interval.center);
  decision.low = interval.known ? std::exp(interval.low) : 0;
  decision.high = interval.known ? std::exp(interval.high) : 1e6;
  const Finding by_zone = interval.known ? finding_of(interval, options.zone) : Finding::undecided;
  decision.finding = enough >= options.min_rounds ? by_zone : Finding::undecided;
  decision.why = fmt::format("{} blocks in {} rounds: {:+.2f} % [{:+.2f}, {:+.2f}]", decision.blocks, decision.rounds,
                             100 * (decision.ratio - 1), 100 * (decision.low - 1), 100 * (decision.high - 1));
  switch (decision.finding) {
    case Finding::faster:
      decision.why += fmt::format(": under -{:.3g} %: faster", 100 * options.zone.tolerate);
      break;
    case Finding::not_slower:
      decision.why += fmt::format(": under {:.3g} %: pass", 100 * options.zone.block);
      break;
    case Finding::slower:
      decision.why += fmt::format(": over {:.3g} %: slower", 100 * options.zone.tolerate);
      break;
    case Finding::undecided:
      decision.why += by_zone == Finding::undecided ? ": undecided" : ": another round";
      decision.blocks_needed =
          by_zone == Finding::undecided ? blocks_needed(interval, options.zone, decision.blocks) : decision.blocks;
      break;
  }
  return decision;
}

bool confirms(const std::vector<double>& round, const DecisionOptions& options) {
  DecisionOptions alone = options;
  alone.min_rounds = 1;
  const Interval interval = interval_of({{round}}, alone);
  const double tolerate = std::log1p(options.zone.tolerate);
  return interval.known && interval.center > tolerate;
}

}  // namespace kgate::stats
