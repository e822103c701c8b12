#pragma once

#include <cstdint>
#include <optional>

#include "runner/cuda/device_block.h"
#include "runner/cuda/graph.h"

namespace kgate::runner::cuda {

// Work that keeps the GPU busy for a while without touching much of its cache (hold.cpp says why and how).
class Hold {
 public:
  // Waits for the GPU.
  explicit Hold(const Device& device);
  // Enqueues at least so much, up to a bound.
  void enqueue(double us) const;

  // How long a processor takes at most to enqueue operations that write so many bytes, beyond the time that the GPU
  // takes at least for the bytes: what has to be held for them.
  static double needed_us(std::uint32_t operations, std::uint64_t bytes);

 private:
  DeviceBlock block_;
  std::optional<Graph> graph_;
  double us_ = 1;  // one launch of the graph
};

}  // namespace kgate::runner::cuda
