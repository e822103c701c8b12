#pragma once

#include <cstdint>

#include "base/error.h"
#include "runner/cuda/device.h"

namespace kgate::runner::cuda {

// One piece of device memory, freed with the object.
class DeviceBlock {
 public:
  DeviceBlock() = default;
  // Throws Error(environment).
  DeviceBlock(const Device& device, std::uint64_t bytes);
  // False where there is no room; throws for every other failure.
  static bool try_make(const Device& device, std::uint64_t bytes, DeviceBlock& block);
  DeviceBlock(DeviceBlock&& other) noexcept;
  DeviceBlock& operator=(DeviceBlock&& other) noexcept;
  ~DeviceBlock();

  CUdeviceptr address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  const Device* device_ = nullptr;
  CUdeviceptr address_ = 0;
  std::uint64_t bytes_ = 0;
};

// How much memory the device has free now.
std::uint64_t free_bytes(const Device& device);
// For buffers that do not fit: Error(environment).
Error no_room(std::uint64_t needed, std::uint64_t free);

}  // namespace kgate::runner::cuda
