#pragma once

#include <optional>

#include "gate/verdict/result/result.h"
#include "gate/verdict/subject/subject.h"

namespace kgate::verdict {

// The line of the `__global__` that defines the version's first entry, in its sources and headers; nothing where it is
// not written there, as in PTX or behind a macro.
std::optional<Location> entry_location(const Version& version);

}  // namespace kgate::verdict
