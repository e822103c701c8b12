#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "runner/cuda/device_block.h"

namespace kgate::runner::cuda {

// The further contents of inputs and inouts, on the device, so that one of them is in place a few microseconds before
// a launch. Nothing but copies reads them: a kernel knows no address of them.
class Variants {
 public:
  explicit Variants(const Device& device) : device_(&device) {}

  void clear();
  // Where the content of a buffer in a variant goes; the same place when it is asked for again. 0 where there is no
  // room: then none of the variants is kept, as a part of them is of no use.
  CUdeviceptr make_room(std::uint32_t variant, std::uint32_t buffer, std::uint64_t bytes);
  // 0 where the buffer has no content of its own in this variant.
  CUdeviceptr find(std::uint32_t variant, std::size_t buffer) const;
  // Variant 0 and those that have any content, in their order.
  std::vector<std::uint32_t> numbers() const { return {numbers_.begin(), numbers_.end()}; }
  bool fit() const { return fit_; }

 private:
  const Device* device_;
  std::set<std::uint32_t> numbers_{0};
  std::map<std::pair<std::uint32_t, std::size_t>, DeviceBlock> blocks_;
  bool fit_ = true;
};

}  // namespace kgate::runner::cuda
