#pragma once

#include <string>

#include "base/json.h"

namespace kgate::report {

// The machine's state during the run, in a line; what was not seen or did not happen is left out.
std::string state_of(const Json& environment);
// Any value of it in a few words.
std::string compact(const Json& json);

}  // namespace kgate::report
