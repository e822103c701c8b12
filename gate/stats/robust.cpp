#include "gate/stats/robust.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kgate::stats {
namespace {

constexpr double kTrim = 0.2;
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
  const double correlation = std::clamp(neighbour_correlation(winsorized, mean), 0.0, kMaxCorrelation);
  // Under 1.64 / sqrt(n) a correlation is what independent samples show too.
  const double believed = correlation > 1.64 / std::sqrt(n) ? correlation : 0;
  location.standard_error = std::sqrt(squares / (h * (h - 1)) * (1 + believed) / (1 - believed));
  location.freedom = h - 1;
  return location;
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
