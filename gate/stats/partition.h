#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kgate::stats {

struct PartitionOptions {
  double penalty = 9;  // what one more segment costs, in squares of the noise
  double bound = 3;    // a value farther than this from its segment's level counts as this far, in noises
};

// Cuts a series, in units of its noise (standard deviation 1 around each level), into segments of constant level:
// the minimum over all partitions of sum min((value - level)^2, bound^2) + penalty * segments. The first values'
// indices, ascending, 0 the first of them; empty for an empty series.
//
// Fearnhead and Rigaill 2019, "Changepoint detection in the presence of outliers", Journal of the American Statistical
// Association 114 (R-FPOP, biweight loss), which is exact. Written from the paper: the cheapest cost of all partitions
// so far is kept as a function of the last segment's level, piece by piece a parabola; a piece that costs more than a
// new segment would is dropped for good, which is what makes it near linear.
std::vector<std::size_t> partition(std::span<const double> values, const PartitionOptions& options);

}  // namespace kgate::stats
