#pragma once

#include <map>
#include <optional>
#include <string>
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

// What was loaded, by the number of its arm.
using Modules = std::map<std::uint32_t, Module>;
// Throws Error(internal) for an arm that was not loaded.
Module& module_of(Modules& modules, std::uint32_t arm);

}  // namespace kgate::runner::cuda
