#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runner/backend.h"
#include "runner/host/launch.h"
#include "runner/host/variants.h"
#include "runner/job.h"

// Blocks of samples (docs/statistics.md, "The datum").
namespace kgate::runner::host {

// What timing works with, all of it the backend's.
struct TimingBench {
  Grid& grid;
  const std::vector<Buffer>& buffers;
  std::span<std::byte* const> homes;  // payloads, with the contents of inputs and inouts
  const Variants& variants;           // their further contents
  std::span<std::byte> pool;          // empty: the buffers get one place of their own
  const Modules& modules;
  std::uint64_t cache_bytes = 0;  // last-level cache
};

TimeOutcome time_arms(const TimeJob& job, const TimingBench& bench, const SampleVisitor& visit);

}  // namespace kgate::runner::host
