#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/optimisers.h"

namespace kgate::bench {

// Replays of one optimiser on one space, a run a seed.
struct SearchCurves {
  std::string optimiser;
  std::vector<std::vector<double>> runs;  // best so far over the best of the space, by evaluation

  // Over the runs: the p-quantile (an order statistic, so that one infinite run spoils no median) after so many
  // evaluations; a run that ended before counts as it ended.
  double quantile(std::size_t evaluations, double p) const;
  // Of the number of evaluations until a run came within `share` of the best; nothing where the quantile never did.
  std::optional<std::size_t> evaluations_until(double share, double p) const;
};

struct SpaceCurves {
  std::string name;
  std::vector<SearchCurves> optimisers;
};

SpaceCurves replay_all(const MeasuredSpace& measured, std::size_t budget, std::uint64_t seeds);

// As a Markdown table: median (quartiles) after some numbers of evaluations.
std::string table_of(const SpaceCurves& space);
// One panel a space: medians as lines, quartiles as bars.
std::string search_plot(const std::vector<SpaceCurves>& spaces);

}  // namespace kgate::bench
