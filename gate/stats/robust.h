#pragma once

#include <cstdint>
#include <span>

namespace kgate::stats {

struct Location {
  double center = 0;          // of the trimmed sample
  double standard_error = 0;  // infinite where there are too few samples
  double freedom = 0;         // degrees of freedom
};

// 10 % trimmed mean and Yuen's winsorized standard error (Yuen 1974, "The two-sample trimmed t for unequal population
// variances", Biometrika 61; Wilcox, "Introduction to Robust Estimation", 3.3.2), the latter widened by
// sqrt((1 + r) / (1 - r)), an AR(1) process's variance of the mean, with r the correlation of neighbours in the order of
// measuring (not below 0) plus 1.25 / sqrt(n) for what so few samples cannot show, r at most 0.8.
Location trimmed_location(std::span<const double> samples);

// The degrees of freedom that trimmed_location leaves of so many samples; at least 1.
double degrees_of_freedom(std::int64_t count);

// The p-quantile, 0 <= p <= 1, by linear interpolation (Hyndman and Fan 1996, type 7). NaN for an empty sample.
double quantile(std::span<const double> samples, double p);

}  // namespace kgate::stats
