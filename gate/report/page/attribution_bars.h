#pragma once

#include <string>

#include "gate/verdict/result/attribution.h"

namespace kgate::report {

// Where the time went, a bar a cause with its interval: this change, what was merged, the toolkit, the machine, and all
// of them together. Nothing where no version was accepted: then the comparison with the base says all.
std::string attribution_bars(const verdict::Attribution& why);

}  // namespace kgate::report
