#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "runner/host/launch.h"
#include "runner/host/memory.h"
#include "runner/host/module.h"
#include "runner/job.h"

// Blocks of samples (design.md, "Time"): what is pure arithmetic stands apart from what looks at the clock.
namespace kgate::runner::host {

// How a sample is taken.
struct SamplePlan {
  bool restore_each = false;  // contents are put back before every launch, outside of the timed part
  bool cold = false;          // caches are swept before every launch
  bool single = false;        // a sample is one launch
};
// Kernels that change what they read (inout, outputs that start zeroed) would see another input at the second launch.
SamplePlan plan_samples(const std::vector<Buffer>& buffers, CacheState cache);

// How many launches make a sample of about `sample_us`; 1 to 1000.
std::uint32_t launches_for(double launch_us, double sample_us);

// Room for the buffers in a pool, in the pool's order: payload sizes padded to whole steps are draw_places' business.
std::vector<std::uint64_t> sizes_of(const std::vector<Buffer>& buffers);

// The smallest pool in which draw_places finds room.
std::uint64_t smallest_pool(const std::vector<Buffer>& buffers, Placement placement);

// What timing works with, all of it the backend's.
struct TimingBench {
  Grid& grid;
  const std::vector<Buffer>& buffers;
  std::span<std::byte* const> homes;  // payloads, with the contents of inputs and inouts
  std::span<std::byte> pool;          // empty: the buffers get one place of their own
  const std::map<std::uint32_t, std::unique_ptr<Module>>& modules;
  std::uint64_t cache_bytes = 0;  // last-level cache
};

TimeOutcome time_arms(const TimeJob& job, const TimingBench& bench);

}  // namespace kgate::runner::host
