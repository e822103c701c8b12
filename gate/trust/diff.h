#pragma once

#include <string>

#include "base/bytes.h"

namespace kgate::trust {

// The unified diff between two versions of a file; empty where they are equal. Binary files give one line that says so.
std::string unified_diff(const std::string& path, ByteView before, ByteView after);

}  // namespace kgate::trust
