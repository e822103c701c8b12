#pragma once

#include <cstdint>

namespace kgate {

// Bytes that this process can still have without swapping: MemAvailable of /proc/meminfo, or what its cgroup's limit
// leaves (version 2, as a container sees its own) where that is less. 0 where neither can be read.
std::uint64_t available_memory();

}  // namespace kgate
