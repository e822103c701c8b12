#include "runner/cuda/launch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runner/cuda/errors.h"

namespace kgate::runner::cuda {
namespace {

constexpr std::uint32_t kPortableCluster = 8, kLargestCluster = 16;
constexpr std::size_t kArgumentSlot = 16;  // the largest alignment of a kernel's parameter
constexpr std::size_t kSpareParameters = 64, kSpareBytes = 4096;

std::string sides(const std::array<std::uint32_t, 3>& extent) {
  return fmt::format("{} x {} x {}", extent[0], extent[1], extent[2]);
}

std::uint64_t product(const std::array<std::uint32_t, 3>& extent) {
  return std::uint64_t{extent[0]} * extent[1] * extent[2];
}

// Over this device's limits or not: the words that follow "softmax: ".
std::string broken_limit(const Launch& launch, const Kernel& kernel, const Limits& limits) {
  constexpr std::array<char, 3> axis{'x', 'y', 'z'};
  for (std::size_t i = 0; i < 3; ++i) {
    if (launch.grid[i] == 0) return fmt::format("the grid is {}: every side must be at least 1", sides(launch.grid));
    if (launch.block[i] == 0) return fmt::format("the block is {}: every side must be at least 1", sides(launch.block));
    if (launch.grid[i] > limits.grid[i]) {
      return fmt::format("the grid is {}: at most {} blocks are possible in {}", sides(launch.grid), limits.grid[i],
                         axis[i]);
    }
    if (launch.block[i] > limits.block[i]) {
      return fmt::format("the block is {}: at most {} threads are possible in {}", sides(launch.block), limits.block[i],
                         axis[i]);
    }
  }
  const std::uint64_t threads = product(launch.block);
  if (threads > limits.block_threads) {
    return fmt::format("the block is {}, {} threads: this GPU takes at most {}", sides(launch.block), threads,
                       limits.block_threads);
  }
  if (threads > kernel.block_threads) {
    return fmt::format(
        "the block is {}, {} threads: with {} registers a thread and its launch bounds this kernel can have at most {}",
        sides(launch.block), threads, kernel.resources.registers, kernel.block_threads);
  }
  const std::uint64_t shared = std::uint64_t{launch.shared_bytes} + kernel.resources.shared_bytes;
  if (shared > limits.shared_bytes) {
    return fmt::format("it needs {} bytes of shared memory a block ({} dynamic, {} static): this GPU has at most {}",
                       shared, launch.shared_bytes, kernel.resources.shared_bytes, limits.shared_bytes);
  }
  if (launch.cluster) {
    const auto& cluster = *launch.cluster;
    if (!limits.clusters)
      return fmt::format("clusters need sm_90 or newer, and this GPU is sm_{}{}", limits.major, limits.minor);
    if (product(cluster) == 0 || product(cluster) > kLargestCluster) {
      return fmt::format("the cluster is {}: 1 to {} blocks are possible", sides(cluster), kLargestCluster);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (launch.grid[i] % cluster[i] != 0) {
        return fmt::format("the grid is {}: not a multiple of the cluster, {}", sides(launch.grid), sides(cluster));
      }
    }
  }
  if (launch.cooperative && !limits.cooperative) return "this GPU has no cooperative launches";
  return {};
}

std::string wrong_arguments(const Launch& launch, const Kernel& kernel) {
  if (!kernel.parameters) return {};
  if (kernel.parameters->size() != launch.arguments.size()) {
    return fmt::format("it has {} parameter{}, and the launch passes {}", kernel.parameters->size(),
                       kernel.parameters->size() == 1 ? "" : "s", launch.arguments.size());
  }
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    const std::size_t passed = argument.buffer ? sizeof(CUdeviceptr) : argument.scalar.size();
    if ((*kernel.parameters)[i].bytes != passed) {
      return fmt::format("its parameter {} has {} bytes, and the launch passes {} ({})", i + 1,
                         (*kernel.parameters)[i].bytes, passed, argument.buffer ? "a pointer" : "a scalar");
    }
  }
  return {};
}

}  // namespace

Sequence::Sequence(const Device& device, Modules& modules, std::uint32_t arm, const Launches& launches,
                   const std::vector<Buffer>& buffers)
    : device_(&device) {
  module_of(modules, arm);
  for (const Launch& launch : launches)
    add(module_of(modules, launch.code.value_or(arm)).kernel(launch.entry), launch, buffers);
}

void Sequence::zero_workspaces(const std::vector<Buffer>& buffers) {
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].role == BufferRole::workspace && buffers[i].zeroed && buffers[i].bytes > 0)
      zeroed_.push_back({i, buffers[i].bytes});
  }
}

void Sequence::add(Kernel& kernel, const Launch& launch, const std::vector<Buffer>& buffers) {
  std::string problem = broken_limit(launch, kernel, device_->limits());
  if (problem.empty()) problem = wrong_arguments(launch, kernel);
  if (!problem.empty()) throw KernelFault(launch.entry + ": " + problem);
  for (const Argument& argument : launch.arguments) {
    if (argument.buffer && *argument.buffer >= buffers.size()) {
      throw Error(ErrorKind::internal, launch.entry, fmt::format("there is no buffer {}", *argument.buffer));
    }
  }
  const Driver& driver = device_->driver();
  if (launch.shared_bytes > kernel.dynamic_shared) {
    check(driver.function_set_attribute(kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        static_cast<int>(launch.shared_bytes)),
          "cuFuncSetAttribute");
    kernel.dynamic_shared = launch.shared_bytes;
  }
  if (launch.cluster && product(*launch.cluster) > kPortableCluster) {
    check(driver.function_set_attribute(kernel.function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
          "cuFuncSetAttribute");
  }
  if (launch.cooperative) {
    int blocks = 0;
    check(driver.occupancy(&blocks, kernel.function, static_cast<int>(product(launch.block)), launch.shared_bytes),
          "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    const std::uint64_t room = static_cast<std::uint64_t>(std::max(blocks, 0)) * device_->limits().multiprocessors;
    if (product(launch.grid) > room) {
      throw KernelFault(fmt::format("{}: the cooperative grid is {}, {} blocks: at most {} can be on this GPU at once",
                                    launch.entry, sides(launch.grid), product(launch.grid), room));
    }
  }
  steps_.push_back(make_step(kernel, launch));
}

Sequence::Step Sequence::make_step(const Kernel& kernel, const Launch& launch) const {
  Step step;
  step.kernel = &kernel;
  step.config.gridDimX = launch.grid[0];
  step.config.gridDimY = launch.grid[1];
  step.config.gridDimZ = launch.grid[2];
  step.config.blockDimX = launch.block[0];
  step.config.blockDimY = launch.block[1];
  step.config.blockDimZ = launch.block[2];
  step.config.sharedMemBytes = launch.shared_bytes;
  step.config.hStream = device_->stream();
  if (launch.cluster) {
    CUlaunchAttribute& attribute = step.attributes.emplace_back();
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = (*launch.cluster)[0];
    attribute.value.clusterDim.y = (*launch.cluster)[1];
    attribute.value.clusterDim.z = (*launch.cluster)[2];
  }
  if (launch.cooperative) {
    CUlaunchAttribute& attribute = step.attributes.emplace_back();
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
  }
  step.config.attrs = step.attributes.data();
  step.config.numAttrs = static_cast<unsigned>(step.attributes.size());

  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
  for (const Argument& argument : launch.arguments) {
    offsets.push_back(bytes);
    bytes +=
        (std::max(argument.scalar.size(), sizeof(CUdeviceptr)) + kArgumentSlot - 1) / kArgumentSlot * kArgumentSlot;
  }
  step.storage.resize(bytes + kSpareBytes);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    step.parameters.push_back(step.storage.data() + offsets[i]);
    if (argument.buffer) {
      step.pointers.emplace_back(offsets[i], *argument.buffer);
    } else if (!argument.scalar.empty()) {
      std::memcpy(step.storage.data() + offsets[i], argument.scalar.data(), argument.scalar.size());
    }
  }
  // Drivers older than 12.4 cannot tell how many parameters a kernel has, and read as many as it has: spare pointers to
  // zeros keep a kernel with more parameters than arguments from crashing this process.
  step.parameters.insert(step.parameters.end(), kSpareParameters, step.storage.data() + bytes);
  return step;
}

void Sequence::enqueue(std::span<const CUdeviceptr> places) {
  const Driver& driver = device_->driver();
  for (const Zeroed& zeroed : zeroed_) {
    check(driver.set_bytes(places[zeroed.buffer], 0, zeroed.bytes, device_->stream()), "cuMemsetD8Async");
  }
  for (Step& step : steps_) {
    for (const auto& [offset, buffer] : step.pointers)
      std::memcpy(step.storage.data() + offset, &places[buffer], sizeof(CUdeviceptr));
    check_launch(driver.launch_kernel(&step.config, step.kernel->function, step.parameters.data(), nullptr),
                 step.kernel->entry);
  }
}

}  // namespace kgate::runner::cuda
