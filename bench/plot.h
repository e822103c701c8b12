#pragma once

#include <string>
#include <vector>

#include "bench/tally.h"

namespace kgate::bench {

// The operating characteristics as SVG: for up to eight models, two panels each (the other rules with the arms in
// separate processes, and on the interleaved samples that kgate uses), share blocked over the planted effect; below,
// the samples of each arm that kgate and the others took where nothing was planted.
std::string plot_of(const std::vector<Cell>& cells);

}  // namespace kgate::bench
