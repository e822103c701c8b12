#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace kgate {

// How base/ opens files that others may have put there: without waiting for the other end of a FIFO and without taking
// a terminal.
int open_flags_for_reading();

// All that an opened file holds. Throws Error(usage, subject, ...) unless it is a regular file of at most max_bytes.
Bytes read_descriptor(int fd, const std::string& subject, std::uint64_t max_bytes);

}  // namespace kgate
