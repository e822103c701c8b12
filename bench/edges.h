#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/tally.h"

namespace kgate::bench {

// The upper end of Clopper and Pearson's exact interval (1934, "The use of confidence or fiducial limits", Biometrika
// 26) of a rate: two-sided 95 %. 1 where all trials are errors.
double rate_upper_bound(std::int64_t errors, std::int64_t trials);

// kgate's rule where it is hardest: candidates exactly at `tolerate` (a block is an error) and exactly at `block` (a
// pass is one). Prints a line for each as it comes; the cells in the order of the models.
std::vector<Cell> run_edges(const std::vector<NoiseModel>& models, const Study& study);

}  // namespace kgate::bench
