#include "runner/cuda/device_block.h"

#include <utility>

#include <fmt/format.h>

#include "runner/cuda/errors.h"

namespace kgate::runner::cuda {

DeviceBlock::DeviceBlock(const Device& device, std::uint64_t bytes) {
  if (!try_make(device, bytes, *this)) throw no_room(bytes, free_bytes(device));
}

bool DeviceBlock::try_make(const Device& device, std::uint64_t bytes, DeviceBlock& block) {
  CUdeviceptr address = 0;
  const CUresult result = device.driver().memory_allocate(&address, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return false;
  check_machine(result, "cuMemAlloc");
  if (address == 0) {
    throw Error(ErrorKind::environment, "cuda driver", "cuMemAlloc succeeded and gives no memory",
                driver_meaning(CUDA_ERROR_TIMEOUT).remedy);
  }
  block = DeviceBlock();
  block.device_ = &device;
  block.address_ = address;
  block.bytes_ = bytes;
  return true;
}

DeviceBlock::DeviceBlock(DeviceBlock&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)),
      address_(std::exchange(other.address_, 0)),
      bytes_(std::exchange(other.bytes_, 0)) {}

DeviceBlock& DeviceBlock::operator=(DeviceBlock&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DeviceBlock::~DeviceBlock() {
  if (device_ != nullptr) device_->driver().memory_free(address_);
}

std::uint64_t free_bytes(const Device& device) {
  std::size_t free = 0, total = 0;
  check_machine(device.driver().memory_get_info(&free, &total), "cuMemGetInfo");
  return free;
}

Error no_room(std::uint64_t needed, std::uint64_t free) {
  return {ErrorKind::environment, "device memory",
          fmt::format("the buffers need {} bytes and the GPU has {} free", needed, free),
          "make the case smaller, stop other processes on this GPU, or use one with more memory"};
}

}  // namespace kgate::runner::cuda
