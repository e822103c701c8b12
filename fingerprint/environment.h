#pragma once

#include <map>
#include <string>

#include "base/json.h"

namespace kgate::fingerprint {

// The axis "environment": of the variables that change what CUDA does or which toolkit is found, those that are set.
// Nobody else's: an environment holds secrets.
Json environment_fields(const std::map<std::string, std::string>& variables);

// What a difference in one of them may do to times.
const char* environment_timing(const std::string& variable);

}  // namespace kgate::fingerprint
