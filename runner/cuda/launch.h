#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runner/cuda/device.h"

namespace kgate::runner::cuda {

struct Parameter {
  std::size_t offset = 0, bytes = 0;
};

// A __global__ function on the device.
struct Kernel {
  std::string entry;
  CUfunction function = nullptr;
  Resources resources;
  std::uint32_t block_threads = 0;   // at most, with the registers it uses
  std::uint32_t dynamic_shared = 0;  // what it may have as it stands; raised when a launch asks for more
  std::optional<std::vector<Parameter>> parameters;  // where the driver can tell (12.4 and newer)
};

// The machine code of one arm, loaded.
class Module {
 public:
  Module(const Device& device, const LoadJob& job);
  ~Module();
  Module(Module&& other) noexcept;
  Module& operator=(Module&&) = delete;

  Loaded describe() const;
  // Throws Error(internal) for an entry that was not loaded.
  Kernel& kernel(const std::string& entry);

 private:
  Kernel load_kernel(const std::string& entry, const std::string& symbol, std::uint64_t code_bytes) const;

  const Device* device_;
  CUmodule module_ = nullptr;
  std::map<std::string, Kernel> kernels_;
};

// An arm's launches, checked against the limits of the device, with the arguments laid out: ready to be enqueued on any
// places of the buffers. Workspaces that begin as zero are zeroed here: it is part of what the candidate costs.
class Sequence {
 public:
  // Throws KernelFault where a launch is over the limits or its arguments do not fit the kernel.
  Sequence(const Device& device, Module& module, const Launches& launches, const std::vector<Buffer>& buffers);

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

  const Device* device_;
  std::vector<Step> steps_;
  std::vector<Zeroed> zeroed_;
};

}  // namespace kgate::runner::cuda
