#include "gate/stats/absolute.h"

#include <cmath>
#include <limits>

#include <boost/math/distributions/normal.hpp>

#include "gate/stats/robust.h"

namespace kgate::stats {
namespace {

struct Mean {
  double center = 0, variance = std::numeric_limits<double>::infinity();
};

Mean mean_of(const std::vector<std::vector<double>>& processes, double spread) {
  Mean mean{0, 0};
  for (const auto& samples : processes) {
    std::vector<double> logs;
    for (const double us : samples) logs.push_back(std::log(us));
    const Location location = trimmed_location(logs);
    mean.center += location.center;
    mean.variance += location.standard_error * location.standard_error + spread * spread;
  }
  const auto count = static_cast<double>(processes.size());
  if (processes.empty()) return {};
  return {mean.center / count, mean.variance / (count * count)};
}

}  // namespace

Interval absolute_ratio(const std::vector<std::vector<double>>& then, const std::vector<std::vector<double>>& now,
                        const AbsoluteOptions& options) {
  const Mean before = mean_of(then, options.process_spread), after = mean_of(now, options.process_spread);
  const double center = after.center - before.center;
  const double deviation = std::sqrt(before.variance + after.variance);
  if (!std::isfinite(deviation) || !std::isfinite(center)) return {1, 0, std::numeric_limits<double>::infinity()};
  const double half =
      boost::math::quantile(boost::math::complement(boost::math::normal(), options.error / 2)) * deviation;
  return {std::exp(center), std::exp(center - half), std::exp(center + half)};
}

}  // namespace kgate::stats
