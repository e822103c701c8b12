#pragma once

#include <string>

#include "base/json.h"

namespace kgate::fingerprint {

// The axis "host": processor, cores, memory, kernel, distribution, container. `root` is "/" but in tests.
Json describe_host(const std::string& root);

}  // namespace kgate::fingerprint
