#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gate/drift/drift.h"

// Reports of drift that no analysis made: small, and the same on every machine.
namespace made_up {

constexpr std::int64_t kFirst = 20454;  // 2026-01-01

// One case; `us` of each night from 0, no night where it is 0.
kgate::drift::Series series(const std::string& name, std::int64_t nights,
                            const std::function<double(std::int64_t)>& us);

// Nothing but its head.
kgate::drift::Drift empty();
// Forty days, of which one night was bad and nine in a row are missing: a driver that one kernel follows, another
// accepted version of the other, and a third without figures.
kgate::drift::Drift forty_days();
// One night of one case.
kgate::drift::Drift one_night();

}  // namespace made_up
