#include "runner/cuda/module.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "runner/cuda/errors.h"

namespace kgate::runner::cuda {

Module::Module(const Device& device, const LoadJob& job) : device_(&device) {
  std::array<char, 8192> log{};
  std::array options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  check_machine(device.driver().module_load(&module_, job.code.data(), options.size(), options.data(), values.data()),
                "cuModuleLoadDataEx", log.data());
  try {
    for (const auto& [entry, symbol] : job.symbols)
      kernels_.emplace(entry, load_kernel(entry, symbol, job.code.size()));
  } catch (...) {
    device.driver().module_unload(module_);
    throw;
  }
}

Module::~Module() {
  if (module_ != nullptr) device_->driver().module_unload(module_);
}

Module::Module(Module&& other) noexcept
    : device_(other.device_), module_(std::exchange(other.module_, nullptr)), kernels_(std::move(other.kernels_)) {}

Kernel Module::load_kernel(const std::string& entry, const std::string& symbol, std::uint64_t code_bytes) const {
  const Driver& driver = device_->driver();
  Kernel kernel;
  kernel.entry = entry;
  const CUresult found = driver.module_get_function(&kernel.function, module_, symbol.c_str());
  if (found == CUDA_ERROR_NOT_FOUND) {
    throw Error(ErrorKind::usage, "entry \"" + entry + "\"", "the machine code has no kernel \"" + symbol + "\"",
                "correct entry in kernel.toml");
  }
  check_machine(found, "cuModuleGetFunction");
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    check_machine(driver.function_get_attribute(&value, which, kernel.function), "cuFuncGetAttribute");
    return static_cast<std::uint32_t>(std::max(value, 0));
  };
  kernel.resources.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  kernel.resources.shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  kernel.resources.spill_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  kernel.resources.code_bytes = code_bytes;
  kernel.block_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  kernel.dynamic_shared = attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  if (driver.function_get_parameter != nullptr) {
    kernel.parameters.emplace();
    Parameter parameter;
    // It says "invalid value" past the last parameter: the only way to learn how many there are.
    while (driver.function_get_parameter(kernel.function, kernel.parameters->size(), &parameter.offset,
                                         &parameter.bytes) == CUDA_SUCCESS) {
      kernel.parameters->push_back(parameter);
    }
  }
  return kernel;
}

Loaded Module::describe() const {
  Loaded loaded;
  for (const auto& [entry, kernel] : kernels_) {
    loaded.resources[entry] = kernel.resources;
    if (!kernel.parameters) continue;
    auto& sizes = loaded.parameter_bytes[entry];
    for (const Parameter& parameter : *kernel.parameters) sizes.push_back(static_cast<std::uint32_t>(parameter.bytes));
  }
  return loaded;
}

Kernel& Module::kernel(const std::string& entry) {
  const auto found = kernels_.find(entry);
  if (found == kernels_.end()) throw Error(ErrorKind::internal, "entry \"" + entry + "\"", "was not loaded");
  return found->second;
}

Module& module_of(Modules& modules, std::uint32_t arm) {
  const auto found = modules.find(arm);
  if (found == modules.end()) throw Error(ErrorKind::internal, fmt::format("arm {}", arm), "was not loaded");
  return found->second;
}

}  // namespace kgate::runner::cuda
