#pragma once

#include <string>

#include "gate/verdict/noise/noise.h"

namespace kgate::report {

// What `kgate doctor --noise` says to a person: a line a case (spread, error after one second, smallest slowdown that
// is proved in the budget, the zone that suits, the planted slowdown as found), then the machine's constants in words.
std::string write_noise(const verdict::Noise& noise, const verdict::Result& setting);

}  // namespace kgate::report
