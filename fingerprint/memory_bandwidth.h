#pragma once

#include "fingerprint/nvml.h"

namespace kgate::fingerprint {

// Bytes a second between the GPU with this index and its memory, at the highest memory clock: both edges of each cycle,
// the whole width. An H200's 3201 MHz and 6016 bits make 4.81e12. 0: NVML does not tell.
double memory_bandwidth(const Nvml& nvml, unsigned index);

}  // namespace kgate::fingerprint
