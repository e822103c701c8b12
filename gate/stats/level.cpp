#include "gate/stats/level.h"

#include <algorithm>
#include <cmath>

#include <boost/math/constants/constants.hpp>

#include "gate/stats/robust.h"

namespace kgate::stats {
namespace {

constexpr int kMostPasses = 20;  // it settles after two or three

}  // namespace

Level level_of(std::span<const double> values, double bound) {
  if (values.empty()) return {};
  Level level;
  double center = quantile(values, 0.5);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    level = {center, 0, 0};
    double sum = 0;
    for (const double value : values) {
      const double distance = value - center;
      if (std::abs(distance) > bound) continue;
      sum += distance;
      level.squares += distance * distance;
      ++level.kept;
    }
    if (level.kept == 0) return level;
    const double step = sum / static_cast<double>(level.kept);
    level.center = center + step;
    level.squares = std::max(0.0, level.squares - sum * step);
    if (std::abs(step) <= 1e-12 * bound) break;
    center = level.center;
  }
  return level;
}

double variance_within(double deviations) {
  using boost::math::double_constants::root_two;
  using boost::math::double_constants::root_two_pi;
  const double density = std::exp(-deviations * deviations / 2) / root_two_pi;
  return 1 - 2 * deviations * density / std::erf(deviations / root_two);
}

}  // namespace kgate::stats
