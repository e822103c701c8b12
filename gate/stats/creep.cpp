#include "gate/stats/creep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

#include "gate/stats/level.h"
#include "gate/stats/robust.h"

namespace kgate::stats {
namespace {

constexpr double kBound = 4;  // in noises that a handful of nights show, which are known badly
constexpr double kNormalQuartile = 0.6744897501960817;

Level level_of_nights(std::span<const Night> nights, double least_noise) {
  std::vector<double> values, distances;
  for (const Night& night : nights) values.push_back(night.log_us);
  const double median = quantile(values, 0.5);
  for (const double value : values) distances.push_back(std::abs(value - median));
  return level_of(values, kBound * std::max(least_noise, quantile(distances, 0.5) / kNormalQuartile));
}

// Of the mean, squared.
double error_of(const Level& level, double least_noise) {
  const auto n = static_cast<double>(level.kept);
  return std::max(level.squares / (n - 1), least_noise * least_noise) / n;
}

}  // namespace

Creep creep(std::span<const Night> release, std::span<const Night> last, const CreepOptions& options) {
  Creep creep;
  creep.high = std::numeric_limits<double>::infinity();
  if (release.empty() || last.empty()) return creep;
  const Level before = level_of_nights(release, options.least_noise),
              after = level_of_nights(last, options.least_noise);
  creep.nights_release = before.kept;
  creep.nights_last = after.kept;
  if (std::min(before.kept, after.kept) < 2) return creep;
  const double a = error_of(before, options.least_noise), b = error_of(after, options.least_noise);
  const double freedom =
      (a + b) * (a + b) / (a * a / static_cast<double>(before.kept - 1) + b * b / static_cast<double>(after.kept - 1));
  const boost::math::students_t student(freedom);
  const double half =
      boost::math::quantile(boost::math::complement(student, options.interval_error / 2)) * std::sqrt(a + b);
  const double difference = after.center - before.center;
  creep.ratio = std::exp(difference);
  creep.low = std::exp(difference - half);
  creep.high = std::exp(difference + half);
  return creep;
}

}  // namespace kgate::stats
