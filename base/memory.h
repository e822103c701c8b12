#pragma once

#include <cstdint>

namespace kgate {

// Bytes that this machine can still give to programs without swapping (MemAvailable of /proc/meminfo); 0 where it cannot be read.
std::uint64_t available_memory();

}  // namespace kgate
