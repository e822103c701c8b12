#include "runner/host/plan.h"

#include <algorithm>
#include <cmath>

#include "runner/backend.h"

namespace kgate::runner::host {
namespace {

constexpr double kMostLaunches = 1000;
constexpr double kFewestRepeats = 2, kMostRepeats = 8;

}  // namespace

SamplePlan plan_samples(const std::vector<Buffer>& buffers, CacheState cache, Regime regime) {
  SamplePlan plan;
  plan.restore_each = std::any_of(buffers.begin(), buffers.end(), [](const Buffer& buffer) {
    return buffer.role == BufferRole::inout || (buffer.role == BufferRole::output && buffer.zeroed);
  });
  plan.cold = cache == CacheState::cold;
  plan.fresh = regime == Regime::fresh;
  plan.single = plan.restore_each || plan.cold || plan.fresh;
  return plan;
}

std::uint32_t launches_for(double launch_us, double sample_us) {
  if (!(launch_us > 0) || !(sample_us > 0)) return 1;
  return static_cast<std::uint32_t>(std::clamp(std::round(sample_us / launch_us), 1.0, kMostLaunches));
}

std::uint32_t repeats_for(double launch_us, double sample_us) {
  return static_cast<std::uint32_t>(
      std::clamp<double>(launches_for(launch_us, sample_us), kFewestRepeats, kMostRepeats));
}

std::vector<std::uint64_t> sizes_of(const std::vector<Buffer>& buffers) {
  std::vector<std::uint64_t> sizes(buffers.size());
  std::transform(buffers.begin(), buffers.end(), sizes.begin(),
                 [](const Buffer& buffer) { return buffer.bytes + kGuardBytes; });
  return sizes;
}

std::uint64_t smallest_pool(const std::vector<Buffer>& buffers, Placement placement) {
  const std::uint64_t step = placement == Placement::segment ? std::uint64_t{2} << 20 : 4096;
  std::uint64_t bytes = step;  // stays free before the first
  for (const std::uint64_t size : sizes_of(buffers)) bytes += (size + step - 1) / step * step;
  return bytes;
}

}  // namespace kgate::runner::host
