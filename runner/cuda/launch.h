#pragma once

#include <span>
#include <utility>
#include <vector>

#include "runner/cuda/module.h"

namespace kgate::runner::cuda {

// An arm's launches, checked against the limits of the device, with the arguments laid out: ready to be enqueued on any
// places of the buffers.
class Sequence {
 public:
  // Launches without a `code` of their own are looked up in `arm`. Throws KernelFault where a launch is over the limits
  // or its arguments do not fit the kernel, Error(internal) for an arm or an entry that was not loaded.
  Sequence(const Device& device, Modules& modules, std::uint32_t arm, const Launches& launches,
           const std::vector<Buffer>& buffers);

  // Workspaces that begin as zero are zeroed first in every sequence: it is part of what the candidate costs.
  void zero_workspaces(const std::vector<Buffer>& buffers);

  Sequence(Sequence&&) noexcept = default;
  Sequence& operator=(Sequence&&) = delete;

  // `places` has the address of every buffer of the allocation. The launches of a sequence follow each other on the
  // device's stream.
  void enqueue(std::span<const CUdeviceptr> places);
  // How many operations it is for the GPU.
  std::size_t steps() const { return zeroed_.size() + steps_.size(); }

 private:
  // One launch as the driver wants it. Pointers are into this object's own vectors, whose storage stays where it is
  // when it moves.
  struct Step {
    const Kernel* kernel = nullptr;
    CUlaunchConfig config{};
    std::vector<CUlaunchAttribute> attributes;
    std::vector<std::byte> storage;                               // the arguments' values
    std::vector<void*> parameters;                                // where each one is
    std::vector<std::pair<std::size_t, std::uint32_t>> pointers;  // place in the storage, buffer
  };
  struct Zeroed {
    std::size_t buffer = 0;
    std::uint64_t bytes = 0;
  };
  Step make_step(const Kernel& kernel, const Launch& launch) const;
  void add(Kernel& kernel, const Launch& launch, const std::vector<Buffer>& buffers);

  const Device* device_;
  std::vector<Step> steps_;
  std::vector<Zeroed> zeroed_;
};

}  // namespace kgate::runner::cuda
