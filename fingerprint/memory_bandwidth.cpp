#include "fingerprint/memory_bandwidth.h"

#include "fingerprint/gpu_questions.h"

namespace kgate::fingerprint {

double memory_bandwidth(const Nvml& nvml, unsigned index) {
  const nvml::Functions& call = nvml.functions();
  const nvml::Device gpu = nvml.device(index);
  unsigned mhz = 0, bits = 0;
  if (!refusal(call, "nvmlDeviceGetMaxClockInfo", call.max_clock, gpu, nvml::kClockMemory, &mhz).empty()) return 0;
  if (!refusal(call, "nvmlDeviceGetMemoryBusWidth", call.memory_bus_width, gpu, &bits).empty()) return 0;
  return 2.0 * mhz * 1e6 * bits / 8;
}

}  // namespace kgate::fingerprint
