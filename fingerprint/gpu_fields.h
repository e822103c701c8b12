#pragma once

#include <string>

#include "base/json.h"
#include "fingerprint/gpu_choice.h"

namespace kgate::fingerprint {

// The fingerprint's axis "device": what a GPU is and how it is set up. What NVML refuses is "unknown, because ...",
// with the function and NVML's own words; a GPU that is lost half-way leaves such fields and throws nothing. `root`:
// "/", where sysfs tells the NUMA node.
Json gpu_fields(const Nvml& nvml, const GpuChoice& choice, const std::string& root);

// The axis "state": what it does at this moment.
Json state_fields(const Nvml& nvml, const GpuChoice& choice);

}  // namespace kgate::fingerprint
