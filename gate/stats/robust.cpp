#include "gate/stats/robust.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kgate::stats {
namespace {

constexpr double kTrim = 0.1;
// What is added to the correlation found, in units of its standard error 1 / sqrt(n): a dozen samples cannot show a
// correlation of 0.3, which would make the mean's true error 1.4 times the believed one.
constexpr double kCorrelationMargin = 1.25;
constexpr double kMaxCorrelation = 0.8;

// Correlation between neighbours of the winsorized sample, in the order in which they were measured.
double neighbour_correlation(const std::vector<double>& values, double mean) {
  double both = 0, one = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    one += (values[i] - mean) * (values[i] - mean);
    if (i > 0) both += (values[i] - mean) * (values[i - 1] - mean);
  }
  return one > 0 ? both / one : 0;
}

}  // namespace

Location trimmed_location(std::span<const double> samples) {
  const std::size_t count = samples.size();
  Location location;
  location.standard_error = std::numeric_limits<double>::infinity();
  if (count == 0) return location;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const auto cut = static_cast<std::size_t>(kTrim * static_cast<double>(count));
  const std::size_t kept = count - 2 * cut;
  for (std::size_t i = cut; i < cut + kept; ++i) location.center += sorted[i] / static_cast<double>(kept);
  if (kept < 2) return location;

  std::vector<double> winsorized(samples.begin(), samples.end());
  double mean = 0;
  for (auto& value : winsorized) {
    value = std::clamp(value, sorted[cut], sorted[count - 1 - cut]);
    mean += value / static_cast<double>(count);
  }
  double squares = 0;
  for (const double value : winsorized) squares += (value - mean) * (value - mean);
  const auto n = static_cast<double>(count), h = static_cast<double>(kept);
  const double correlation =
      std::min(std::max(0.0, neighbour_correlation(winsorized, mean)) + kCorrelationMargin / std::sqrt(n),
               kMaxCorrelation);
  location.standard_error = std::sqrt(squares / (h * (h - 1)) * (1 + correlation) / (1 - correlation));
  location.freedom = h - 1;
  return location;
}

double degrees_of_freedom(std::int64_t count) {
  const auto cut = static_cast<std::int64_t>(kTrim * static_cast<double>(count));
  return std::max(1.0, static_cast<double>(count - 2 * cut - 1));
}

double quantile(std::span<const double> samples, double p) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace kgate::stats
