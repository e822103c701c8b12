#include "gate/search/evaluate/memory_floor.h"

#include <algorithm>

#include "fingerprint/memory_bandwidth.h"

namespace kgate::search {

double memory_bandwidth_of(const verdict::Preparation& ready) {
  if (!ready.nvml || ready.device.backend != "cuda") return 0;
  for (const auto& gpu : ready.nvml->devices()) {
    if (gpu.uuid == ready.device.uuid) return fingerprint::memory_bandwidth(*ready.nvml, gpu.index);
  }
  return 0;
}

double memory_floor_us(const cases::CasesSpec& cases, const cases::CaseSpec& one, const runner::DeviceInfo& device,
                       double bandwidth) {
  if (!cases.work_bytes || !(bandwidth > 0)) return 0;
  const double bytes = static_cast<double>(cases::evaluate(*cases.work_bytes, one.sizes));
  return std::max(0.0, bytes - static_cast<double>(device.l2_bytes)) / bandwidth * 1e6;
}

}  // namespace kgate::search
