#pragma once

#include <vector>

#include "runner/cuda/device_memory.h"
#include "runner/cuda/sample.h"

namespace kgate::runner::cuda {

// As Backend::time takes it.
struct TimeRequest {
  const TimeJob& job;
  const SampleVisitor& visit;
};

// Backend::time on a GPU. Throws KernelFault for what a kernel did, Error(environment) for what the machine did.
TimeOutcome time_blocks(const Device& device, DeviceMemory& memory, std::vector<Arm>& arms, const TimeRequest& request);

}  // namespace kgate::runner::cuda
