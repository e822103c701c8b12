#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/philox.h"
#include "gate/stats/change_points.h"

namespace kgate::bench {

// What nightly figures look like around their level.
struct NightModel {
  double noise = 0.01;     // standard deviation of ln us
  double missing = 0;      // share of the nights without a figure
  double bad = 0;          // share of the nights whose figure is 20 % too large
  double correlation = 0;  // of the noise of one night and the next (AR(1))
};

// So many figures; `log_ratio` is the planted ln ratio of the figure with that index.
std::vector<stats::Night> nights_of(RandomStream& random, std::size_t count, const NightModel& model,
                                    const std::function<double(std::size_t)>& log_ratio);

}  // namespace kgate::bench
