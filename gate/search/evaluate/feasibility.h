#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runner/job.h"

namespace kgate::search {

// What a multiprocessor has, beside what the device itself tells. CUDA C++ Programming Guide, "Compute Capabilities",
// technical specifications per compute capability: the same for all that CUDA 13 supports, but for the blocks and
// threads of consumer parts.
struct MultiprocessorLimits {
  std::uint32_t registers = 65536, threads = 2048, blocks = 32, registers_a_thread = 255, threads_a_block = 1024;
  std::uint32_t shared_bytes = 0;  // 0: not known
};
MultiprocessorLimits limits_of(const runner::DeviceInfo& device);

// Why the launches cannot run on this device, before anything is compiled: threads, shared memory; empty: they may.
std::string infeasible(const runner::Launches& launches, const runner::DeviceInfo& device);

// The same once compiling has told registers and static shared memory, by entry.
std::string infeasible(const runner::Launches& launches, const std::map<std::string, runner::Resources>& resources,
                       const runner::DeviceInfo& device);

// Share of a multiprocessor's threads that a launch can keep resident, 0 to 1; 0 for one that cannot run.
double occupancy(const runner::Launch& launch, const runner::Resources& resources, const MultiprocessorLimits& limits);

}  // namespace kgate::search
