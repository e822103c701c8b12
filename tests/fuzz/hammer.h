#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

using FuzzTarget = int (*)(const std::uint8_t*, std::size_t);

// Calls a target with a bounded number of mutations of good inputs; `stream` names the fixed sequence of random
// numbers that makes them.
void hammer(FuzzTarget target, const std::vector<kgate::Bytes>& seeds, std::uint64_t stream);
