#include "runner/cuda/variants.h"

namespace kgate::runner::cuda {
namespace {

// What stays free for the driver (local memory, graphs) and for the buffer that flushes the cache. Less than what the
// pool leaves, or a pool that took all it could would leave no room for any variant.
constexpr std::uint64_t kHeadroom = 256u << 20;

}  // namespace

void Variants::clear() {
  numbers_ = {0};
  blocks_.clear();
  fit_ = true;
}

CUdeviceptr Variants::make_room(std::uint32_t variant, std::uint32_t buffer, std::uint64_t bytes) {
  numbers_.insert(variant);
  if (!fit_) return 0;
  const auto key = std::pair<std::uint32_t, std::size_t>(variant, buffer);
  const auto found = blocks_.find(key);
  if (found != blocks_.end()) return found->second.address();
  const std::uint64_t free = free_bytes(*device_);
  DeviceBlock block;
  if (free < kHeadroom || bytes > free - kHeadroom || !DeviceBlock::try_make(*device_, bytes, block)) {
    blocks_.clear();
    fit_ = false;
    return 0;
  }
  return blocks_.emplace(key, std::move(block)).first->second.address();
}

CUdeviceptr Variants::find(std::uint32_t variant, std::size_t buffer) const {
  const auto found = blocks_.find({variant, buffer});
  return found == blocks_.end() ? 0 : found->second.address();
}

}  // namespace kgate::runner::cuda
