#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runner/backend.h"
#include "runner/cuda/device_block.h"
#include "runner/cuda/variants.h"

namespace kgate::runner::cuda {

// The buffers at their home places, each with guard zones before and after its payload, and the pool in which timing
// places them anew.
class DeviceMemory {
 public:
  // `guard`: bytes of each zone; 0: none, see BackendOptions::observed.
  explicit DeviceMemory(const Device& device, std::uint64_t guard = kGuardBytes)
      : device_(&device), guard_(guard), variants_(device) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // As Backend::allocate.
  std::uint64_t allocate(const Allocation& allocation);
  void write(const Region& region, ByteView data);
  void read(const Region& region, std::span<std::byte> data);
  void read_at(CUdeviceptr from, std::span<std::byte> data);

  const std::vector<Buffer>& buffers() const { return buffers_; }
  // Address of the payload; a multiple of 256.
  CUdeviceptr home(std::size_t buffer) const { return rooms_[buffer].address() + guard_; }
  std::vector<CUdeviceptr> homes() const;
  CUdeviceptr pool() const { return pool_.address(); }
  std::uint64_t pool_bytes() const { return pool_.bytes(); }
  const Variants& variants() const { return variants_; }

 private:
  std::uint64_t room_of(const Buffer& buffer) const;
  bool make_rooms(const std::vector<Buffer>& buffers);
  void make_pool(std::uint64_t wanted, std::uint64_t useful);
  CUdeviceptr address_of(const Region& region) const;
  // 0: there is no room for it.
  CUdeviceptr variant_of(const Region& region);
  std::byte* staging(unsigned half);

  const Device* device_;
  std::uint64_t guard_;
  std::vector<Buffer> buffers_;
  std::vector<DeviceBlock> rooms_;
  DeviceBlock pool_;
  Variants variants_;
  std::uint64_t pool_wanted_ = 0;
  void* staging_ = nullptr;                 // pinned, two halves: one is filled while the other travels
  CUevent staged_[2] = {nullptr, nullptr};  // the half is free again
};

}  // namespace kgate::runner::cuda
