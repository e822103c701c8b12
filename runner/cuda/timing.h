#pragma once

#include <vector>

#include "runner/cuda/device_memory.h"
#include "runner/cuda/sample.h"

namespace kgate::runner::cuda {

// Backend::time on a GPU. Throws KernelFault for what a kernel did, Error(environment) for what the machine did.
TimeOutcome time_blocks(const Device& device, const DeviceMemory& memory, std::vector<Arm>& arms, const TimeJob& job);

}  // namespace kgate::runner::cuda
