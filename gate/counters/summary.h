#pragma once

#include <optional>
#include <string>

#include "gate/counters/counter.h"

namespace kgate::counters {

// What a kernel waits for, in sentences for who proposes the next version: its class (bound.h), and the counters that
// matter for that class, with their figures; those without one are named as left out, with the reason. `entry`: as
// kernel.toml calls it. Nothing where the class cannot be told: `why_not` says which counter is not there.
std::optional<std::string> summarise(const std::string& entry, const Readings& readings, std::string& why_not);

}  // namespace kgate::counters
