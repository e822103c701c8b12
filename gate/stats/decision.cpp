#include "gate/stats/decision.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "gate/stats/robust.h"
#include "gate/stats/spread.h"

// The problem: say "slower" or "not slower" of two kernels whose ratio is known from a few dozen noisy blocks, and be
// wrong less than once in a thousand suites. The choice: a robust location with its own error per round, a known spread
// between rounds on top, one interval, and the policy's zone as the two hypotheses. Rejected: tests of "any difference"
// (with blocks enough, everything differs), fixed percentages on medians (no error rate), and a spread estimated from
// two rounds (one degree of freedom: an interval 40 times too wide). The spread between rounds: over the pairs of
// kernels in the H200 traces with new placements, the between-process standard deviation was 0.4 to 2 times what one
// process believed, at most 0.05 % for those that do not live in the L2; 0.06 % covers them.
namespace kgate::stats {
namespace {

constexpr double kPlanMargin = 1.1;  // a plan that is just enough fails every second time
constexpr double kMostPlanned = 1e6;

// All blocks' estimate, as ln ratio.
struct Estimate {
  double center = 0, error = 0, freedom = 0;
  bool known = false;
};

Estimate estimate_of(const Evidence& evidence, const DecisionOptions& options) {
  std::vector<double> all;
  double squares = 0;
  std::vector<RoundEstimate> rounds;
  for (const auto& round : evidence.rounds) {
    all.insert(all.end(), round.begin(), round.end());
    squares += static_cast<double>(round.size()) * static_cast<double>(round.size());
  }
  if (all.empty()) return {};
  double spread = options.round_spread;
  if (static_cast<std::int64_t>(evidence.rounds.size()) >= kRoundsForSpread) {
    for (const auto& round : evidence.rounds) {
      const Location location = trimmed_location(round);
      rounds.push_back({location.center, location.standard_error});
    }
    spread = std::max(spread, between_rounds(rounds));
  }
  const Location location = trimmed_location(all);
  const auto count = static_cast<double>(all.size());
  double variance = location.standard_error * location.standard_error + spread * spread * squares / (count * count);
  // Two times, each cut to a tick: a uniform error of one tick in each has a variance of a twelfth of its square.
  // Noise of half a tick makes the cuts average out.
  if (location.standard_error * std::sqrt(count) < options.resolution / 2)
    variance += options.resolution * options.resolution / 6;
  return {location.center, std::sqrt(variance), location.freedom, std::isfinite(variance)};
}

double quantile_of(const Estimate& estimate, double one_sided_error) {
  const boost::math::students_t student(std::max(1.0, estimate.freedom));
  return boost::math::quantile(boost::math::complement(student, std::clamp(one_sided_error, 1e-15, 0.5)));
}

// The same as bounds.
struct Bounds {
  double center = 0, low = 0, high = 0, half = 0;
  bool known = false;
};

Bounds bounds_of(const Estimate& estimate, double one_sided_error) {
  if (!estimate.known) return {estimate.center, 0, 0, 0, false};
  const double half = quantile_of(estimate, one_sided_error) * estimate.error;
  return {estimate.center, estimate.center - half, estimate.center + half, half, std::isfinite(half)};
}

// By the zone alone.
Finding finding_of(const Bounds& interval, const Zone& zone) {
  const double tolerate = std::log1p(zone.tolerate), block = std::log1p(zone.block);
  const bool passes = interval.high<block, regressed = interval.low> tolerate;
  if (interval.high < -tolerate) return Finding::faster;
  if (passes && regressed) return interval.center > (tolerate + block) / 2 ? Finding::slower : Finding::not_slower;
  if (passes) return Finding::not_slower;
  return regressed ? Finding::slower : Finding::undecided;
}

// Blocks in all after which the interval is narrow enough, by today's spread. An interval as wide as the zone always
// answers; one that is nearer to an edge than that is answered by the other edge.
std::int64_t blocks_needed(const Bounds& interval, const Estimate& estimate, const Zone& zone, double one_sided_error,
                           std::int64_t blocks) {
  if (!interval.known || !(estimate.error > 0)) return std::max<std::int64_t>(2 * kMinBlocks, blocks);
  const double tolerate = std::log1p(zone.tolerate), block = std::log1p(zone.block);
  const double wanted = std::max({block - interval.center, interval.center - tolerate, (block - tolerate) / 2});
  const boost::math::normal normal;
  const double z = boost::math::quantile(boost::math::complement(normal, std::clamp(one_sided_error, 1e-15, 0.5)));
  // Student's quantile from the normal one: t^2 = f (exp(z^2 / f) - 1), within a few percent (Wallace 1959, "Bounds on
  // normal approximations to Student's and the chi-square distributions", Annals of Mathematical Statistics 30).
  const double spread = kPlanMargin * estimate.error * std::sqrt(static_cast<double>(blocks));
  double count = 2 * kMinBlocks;
  while (count < kMostPlanned) {
    const double freedom = degrees_of_freedom(static_cast<std::int64_t>(count));
    const double t = std::sqrt(freedom * std::expm1(z * z / freedom));
    if (t * spread / std::sqrt(count) <= wanted) break;
    count = std::ceil(count * 1.1);
  }
  return static_cast<std::int64_t>(count);
}

}  // namespace

Zone zone_for(const Zone& zone, double base_us) {
  if (!(base_us > 0)) return zone;
  const double floor = zone.absolute_us / base_us;
  return {std::max(zone.tolerate, floor), std::max(zone.block, 2 * floor), zone.absolute_us};
}

double error_of_look(const DecisionOptions& options, std::int64_t look) {
  const auto number = static_cast<double>(std::max<std::int64_t>(1, look));
  return options.error / static_cast<double>(std::max<std::int64_t>(1, options.cases)) / (number * (number + 1));
}

Decision decide(const Evidence& evidence, const DecisionOptions& options, std::int64_t look) {
  Decision decision;
  std::int64_t enough = 0;
  for (const auto& round : evidence.rounds) {
    decision.blocks += static_cast<std::int64_t>(round.size());
    decision.rounds += round.empty() ? 0 : 1;
    enough += static_cast<std::int64_t>(round.size()) >= kMinBlocks ? 1 : 0;
  }
  const double error = error_of_look(options, look);
  const Estimate estimate = estimate_of(evidence, options);
  const Bounds interval = bounds_of(estimate, error);
  decision.ratio = std::exp(interval.center);
  decision.low = interval.known ? std::exp(interval.low) : 0;
  decision.high = interval.known ? std::exp(interval.high) : kUnknownRatio;
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
      decision.blocks_needed = by_zone == Finding::undecided
                                   ? blocks_needed(interval, estimate, options.zone, error, decision.blocks)
                                   : decision.blocks;
      break;
  }
  return decision;
}

Interval interval(const Evidence& evidence, const DecisionOptions& options, double one_sided_error) {
  const Bounds bounds = bounds_of(estimate_of(evidence, options), one_sided_error);
  if (!bounds.known) return {std::exp(bounds.center), 0, std::numeric_limits<double>::infinity()};
  return {std::exp(bounds.center), std::exp(bounds.low), std::exp(bounds.high)};
}

double expected_half_width(double block_spread, std::int64_t blocks, std::int64_t rounds,
                           const DecisionOptions& options, double one_sided_error) {
  if (blocks < 2 || rounds < 1) return std::numeric_limits<double>::infinity();
  Estimate estimate;
  const double error = expected_error(block_spread, blocks);
  estimate.error = std::sqrt(error * error + options.round_spread * options.round_spread / static_cast<double>(rounds));
  estimate.freedom = degrees_of_freedom(blocks);
  return quantile_of(estimate, one_sided_error) * estimate.error;
}

bool confirms(const std::vector<double>& round, const DecisionOptions& options) {
  const Estimate estimate = estimate_of({{round}}, options);
  return estimate.known && estimate.center > std::log1p(options.zone.tolerate);
}

}  // namespace kgate::stats
