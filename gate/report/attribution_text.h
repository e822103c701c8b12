#pragma once

#include <string>
#include <vector>

#include "gate/verdict/result/attribution.h"

namespace kgate::report {

// "+3.1 % since v1.4 (record 12): this change +0.1 % (±0.1), merged since then 0 %, toolkit 13.0.88 -> 13.1.20 +3.0 %
// (±0.1), machine 0.0 % (±0.8)", and what the machine's fingerprints differ in. Empty where no version was accepted:
// the comparison with the base says all.
std::vector<std::string> attribution_lines(const verdict::Attribution& why);

// One of the parts but for the change's is more than noise, and larger than half a percent.
bool is_telling(const verdict::Attribution& why);

}  // namespace kgate::report
