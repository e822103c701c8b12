#pragma once

#include <cstdint>
#include <string>

#include "runner/cuda/driver.h"
#include "runner/job.h"

namespace kgate::runner::cuda {

// What a launch must keep to on this device.
struct Limits {
  std::uint32_t block[3] = {}, grid[3] = {};
  std::uint32_t block_threads = 0;
  std::uint32_t shared_bytes = 0;  // a block, with opting in
  std::uint32_t multiprocessors = 0;
  int major = 0, minor = 0;  // compute capability
  bool clusters = false, cooperative = false;
};

// One GPU with its primary context and one stream, on which everything happens in order.
class Device {
 public:
  // `choice` is an index, a UUID as nvidia-smi -L prints it or the beginning of one, or empty for the first GPU.
  Device(Driver driver, const std::string& choice);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Driver& driver() const { return driver_; }
  CUstream stream() const { return stream_; }
  const Limits& limits() const { return limits_; }
  std::uint64_t l2_bytes() const { return l2_bytes_; }
  // Makes the context current in the calling thread: first thing in every call of the backend.
  void enter() const;
  // Waits for everything enqueued. Throws KernelFault for what kernels did.
  void synchronize() const;
  DeviceInfo info() const;

 private:
  void bound_kernels() const;
  void select(const std::string& choice);
  int attribute(CUdevice_attribute attribute) const;

  Driver driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  Limits limits_;
  std::uint64_t l2_bytes_ = 0;
};

// "GPU-" and the 16 bytes as lower-case hex in the groups 8-4-4-4-12.
std::string uuid_text(const CUuuid& uuid);

}  // namespace kgate::runner::cuda
