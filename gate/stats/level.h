#pragma once

#include <cstdint>
#include <span>

namespace kgate::stats {

// The level of a stretch of nights: the mean of those within `bound` of it.
struct Level {
  double center = 0;
  double squares = 0;     // of the kept values' distances from it, summed up
  std::int64_t kept = 0;  // how many are within `bound`
};

// A skipped mean (Hampel 1985, "The breakdown point of the mean combined with some rejection rules", Technometrics 27):
// from the median on, the mean of what is near it, until that stays. It minimises the loss of partition.h near the
// median, and keeps the mean's precision where nothing is skipped, which a median of eight nights does not. Kept is
// none of an empty stretch.
Level level_of(std::span<const double> values, double bound);

// The share of a normal noise's variance that is left within so many standard deviations.
double variance_within(double deviations);

}  // namespace kgate::stats
