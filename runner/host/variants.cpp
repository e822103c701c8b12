#include "runner/host/variants.h"

#include <iterator>

#include "base/memory.h"

namespace kgate::runner::host {

void Variants::clear() {
  numbers_ = {0};
  rooms_.clear();
  fit_ = true;
}

std::span<std::byte> Variants::make_room(std::uint32_t variant, std::uint32_t buffer, std::uint64_t bytes) {
  numbers_.insert(variant);
  if (!fit_) return {};
  Mapping& room = rooms_[{variant, buffer}];
  if (room.size() == 0 && bytes > 0) {
    if (bytes > available_memory()) {
      rooms_.clear();
      fit_ = false;
      return {};
    }
    room = Mapping(bytes);
  }
  return room.bytes();
}

std::vector<const std::byte*> Variants::payloads(std::uint32_t index, std::span<std::byte* const> homes) const {
  const std::uint32_t variant = *std::next(numbers_.begin(), index);
  std::vector<const std::byte*> payloads;
  for (std::uint32_t buffer = 0; buffer < homes.size(); ++buffer) {
    const auto room = rooms_.find({variant, buffer});
    payloads.push_back(room == rooms_.end() ? homes[buffer] : room->second.data());
  }
  return payloads;
}

}  // namespace kgate::runner::host
