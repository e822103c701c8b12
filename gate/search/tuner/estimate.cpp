#include "gate/search/tuner/estimate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kgate::tuner {
namespace {

double normal_share_below(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

}  // namespace

double expected_gain(const Estimate& estimate, double best) {
  const double ahead = std::log(best) - estimate.log_time, deviation = estimate.deviation;
  if (deviation <= 0) return std::max(0.0, -std::expm1(-ahead));
  const double z = ahead / deviation;
  const double gain =
      normal_share_below(z) - std::exp(deviation * deviation / 2 - ahead) * normal_share_below(z - deviation);
  return std::max(0.0, gain);
}

}  // namespace kgate::tuner
