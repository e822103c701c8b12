#pragma once

#include <cstdint>
#include <vector>

#include "runner/job.h"

// What of timing is pure arithmetic: it stands apart from what looks at the clock.
namespace kgate::runner::host {

// How a sample is taken.
struct SamplePlan {
  bool restore_each = false;  // contents are put back before every launch, outside of the timed part
  bool cold = false;          // caches are swept before every launch
  bool fresh = false;         // every launch sees other inputs than the one before
  bool single = false;        // each launch is timed by itself
};
// Kernels that change what they read (inout, outputs that start zeroed) would see another input at the second launch.
SamplePlan plan_samples(const std::vector<Buffer>& buffers, CacheState cache, Regime regime = Regime::batch);

// How many launches make a sample of about `sample_us`; 1 to 1000.
std::uint32_t launches_for(double launch_us, double sample_us);
// In the fresh regime, where each launch needs a copy of its inputs; 2 to 8.
std::uint32_t repeats_for(double launch_us, double sample_us);

// Room for the buffers in a pool, in the pool's order: payload sizes padded to whole steps are draw_places' business.
std::vector<std::uint64_t> sizes_of(const std::vector<Buffer>& buffers);

// The smallest pool in which draw_places finds room.
std::uint64_t smallest_pool(const std::vector<Buffer>& buffers, Placement placement);

}  // namespace kgate::runner::host
