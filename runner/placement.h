#pragma once

#include <cstdint>
#include <vector>

#include "base/philox.h"
#include "runner/job.h"

namespace kgate::runner {

// Draws where each buffer lies in the pool: disjoint, each at a multiple of the placement's step (4 KiB or 2 MiB),
// every order of the buffers and every split of the free room equally likely. `sizes` in bytes; empty result where they
// do not fit, or the pool is too small for one step of freedom. Nothing lies in the pool's first step, so that there is
// room for a red zone before every buffer; who asks for a red zone's bytes more has one after it. `fixed` packs them
// from the start, the same each time.
std::vector<std::uint64_t> draw_places(const std::vector<std::uint64_t>& sizes, std::uint64_t pool_bytes,
                                       Placement placement, RandomStream& random);

}  // namespace kgate::runner
