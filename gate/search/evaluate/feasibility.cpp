#include "gate/search/evaluate/feasibility.h"

#include <algorithm>

#include <fmt/format.h>

namespace kgate::search {
namespace {

constexpr std::uint32_t kWarp = 32, kRegisterUnit = 256, kSharedUnit = 128, kSharedReserve = 1024;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t threads_of(const runner::Launch& launch) {
  return std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
}

}  // namespace

MultiprocessorLimits limits_of(const runner::DeviceInfo& device) {
  MultiprocessorLimits limits;
  const std::string& architecture = device.architecture;
  if (architecture == "sm_75") {
    limits.threads = 1024;
    limits.blocks = 16;
  } else if (architecture == "sm_86" || architecture == "sm_89" || architecture.starts_with("sm_12")) {
    limits.threads = 1536;
    limits.blocks = 24;
  }
  // A block may have all but what the system keeps of it.
  if (device.max_shared_bytes > 0) limits.shared_bytes = device.max_shared_bytes + kSharedReserve;
  return limits;
}

std::string infeasible(const runner::Launches& launches, const runner::DeviceInfo& device) {
  for (const auto& launch : launches) {
    const auto threads = threads_of(launch);
    const auto limits = limits_of(device);
    if (threads == 0 || threads > limits.threads_a_block)
      return fmt::format("{}: a block of {} threads; the device takes 1 to {}", launch.entry, threads,
                         limits.threads_a_block);
    if (device.max_shared_bytes > 0 && launch.shared_bytes > device.max_shared_bytes)
      return fmt::format("{}: {} bytes of dynamic shared memory a block; the device has {}", launch.entry,
                         launch.shared_bytes, device.max_shared_bytes);
  }
  return {};
}

std::string infeasible(const runner::Launches& launches, const std::map<std::string, runner::Resources>& resources,
                       const runner::DeviceInfo& device) {
  const auto limits = limits_of(device);
  for (const auto& launch : launches) {
    const auto found = resources.find(launch.entry);
    if (found == resources.end()) continue;
    const std::uint64_t shared = std::uint64_t{launch.shared_bytes} + found->second.shared_bytes;
    if (device.max_shared_bytes > 0 && shared > device.max_shared_bytes)
      return fmt::format("{}: {} bytes of shared memory a block; the device has {}", launch.entry, shared,
                         device.max_shared_bytes);
    const std::uint64_t warps = (threads_of(launch) + kWarp - 1) / kWarp;
    const std::uint64_t registers = warps * rounded_up(std::uint64_t{found->second.registers} * kWarp, kRegisterUnit);
    if (registers > limits.registers)
      return fmt::format("{}: {} registers a thread for {} threads; a block has {} registers", launch.entry,
                         found->second.registers, threads_of(launch), limits.registers);
  }
  return {};
}

double occupancy(const runner::Launch& launch, const runner::Resources& resources, const MultiprocessorLimits& limits) {
  const std::uint64_t threads = threads_of(launch);
  if (threads == 0 || threads > limits.threads_a_block) return 0;
  const std::uint64_t warps = (threads + kWarp - 1) / kWarp;
  std::uint64_t blocks = std::min<std::uint64_t>(limits.blocks, limits.threads / (warps * kWarp));
  const std::uint64_t registers = warps * rounded_up(std::uint64_t{resources.registers} * kWarp, kRegisterUnit);
  if (registers > 0) blocks = std::min<std::uint64_t>(blocks, limits.registers / registers);
  const std::uint64_t shared = std::uint64_t{launch.shared_bytes} + resources.shared_bytes;
  if (limits.shared_bytes > 0)
    blocks = std::min(blocks, limits.shared_bytes / (rounded_up(shared, kSharedUnit) + kSharedReserve));
  return static_cast<double>(blocks * warps * kWarp) / limits.threads;
}

}  // namespace kgate::search
