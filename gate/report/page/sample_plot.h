#pragma once

#include <string>

#include "gate/report/page/measured.h"
#include "gate/verdict/judge.h"

namespace kgate::report {

// The raw times of a case as a figure: all versions block by block and as distributions on the same scale, and beneath
// them the ratio of each block, with the zone. Many blocks are drawn as medians of some that follow one another.
// Nothing where there is no sample, or their lists do not belong together.
std::string sample_figure(const verdict::CaseSamples& samples, const std::optional<Measured>& time);

}  // namespace kgate::report
