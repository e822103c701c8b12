#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runner/backend.h"
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

// The buffers at their home places, each with guard zones before and after its payload, and the pool in which timing
// places them anew.
class DeviceMemory {
 public:
  explicit DeviceMemory(const Device& device) : device_(&device) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // As Backend::allocate.
  std::uint64_t allocate(const Allocation& allocation);
  void write(const Region& region, ByteView data);
  void read(const Region& region, std::span<std::byte> data);

  const std::vector<Buffer>& buffers() const { return buffers_; }
  // Address of the payload; a multiple of 256.
  CUdeviceptr home(std::size_t buffer) const { return rooms_[buffer].address() + kGuardBytes; }
  std::vector<CUdeviceptr> homes() const;
  CUdeviceptr pool() const { return pool_.address(); }
  std::uint64_t pool_bytes() const { return pool_.bytes(); }

 private:
  bool make_rooms(const std::vector<Buffer>& buffers);
  void make_pool(std::uint64_t wanted, std::uint64_t useful);
  CUdeviceptr address_of(const Region& region) const;
  std::byte* staging(unsigned half);

  const Device* device_;
  std::vector<Buffer> buffers_;
  std::vector<DeviceBlock> rooms_;
  DeviceBlock pool_;
  std::uint64_t pool_wanted_ = 0;
  void* staging_ = nullptr;                 // pinned, two halves: one is filled while the other travels
  CUevent staged_[2] = {nullptr, nullptr};  // the half is free again
};

}  // namespace kgate::runner::cuda
