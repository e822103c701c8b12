#pragma once

#include "gate/stats/decision.h"

namespace kgate::stats {

// The weighted geometric mean of ratios that were found independently of each other, with its interval: half widths in
// ln ratio add up as variances do.
class WeightedRatio {
 public:
  // An interval that is not finite, or reaches zero, tells nothing and does not count.
  void add(const Interval& one, double weight);
  bool empty() const { return weights_ <= 0; }
  Interval mean() const;  // of nothing: 1, of which nothing is known

 private:
  double weights_ = 0, center_ = 0, spread_ = 0;
};

}  // namespace kgate::stats
