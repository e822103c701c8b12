#include "gate/stats/weighted_ratio.h"

#include <cmath>
#include <limits>

namespace kgate::stats {

void WeightedRatio::add(const Interval& one, double weight) {
  if (!(one.low > 0) || !(one.high < kUnknownRatio) || !(weight > 0)) return;
  const double half = std::log(one.high / one.low) / 2;
  weights_ += weight;
  center_ += weight * std::log(one.ratio);
  spread_ += weight * weight * half * half;
}

Interval WeightedRatio::mean() const {
  if (empty()) return {1, 0, std::numeric_limits<double>::infinity()};
  const double mean = center_ / weights_, half = std::sqrt(spread_) / weights_;
  return {std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
}

}  // namespace kgate::stats
