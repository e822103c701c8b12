#pragma once

#include <span>

namespace kgate::stats {

struct Location {
  double center = 0;          // of the trimmed sample
  double standard_error = 0;  // infinite where there are too few samples
  double freedom = 0;         // degrees of freedom
};

// 20 % trimmed mean and Yuen's winsorized standard error (Yuen 1974; Wilcox, "Introduction to Robust
// Estimation", 3.3.2), the latter widened by sqrt((1 + r) / (1 - r)) where neighbours correlate with r > 0 (an AR(1)
// process's variance of the mean), r at most 0.8.
Location trimmed_location(std::span<const double> samples);

// The p-quantile, 0 <= p <= 1, by linear interpolation (Hyndman and Fan 1996, type 7). NaN for an empty sample.
double quantile(std::span<const double> samples, double p);

}  // namespace kgate::stats
