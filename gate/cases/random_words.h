#pragma once

#include <array>
#include <cstdint>

#include "base/philox.h"

namespace kgate::cases {

// 64 random bits an element, as a pure function of (seed, stream, lane, element). Lanes are independent: the first is
// for values, others for what a generator draws beside them.
class RandomWords {
 public:
  RandomWords(std::uint64_t seed, std::uint32_t stream)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}, stream_(stream) {}

  std::uint64_t at(std::uint64_t element, std::uint32_t lane) const { return pair(element / 2, lane)[element % 2]; }

  // Lane 0 of `count` elements; `first` is even.
  void fill(std::uint64_t first, std::uint64_t count, std::uint64_t* words) const {
    for (std::uint64_t i = 0; i < count; i += 2) {
      const std::array<std::uint64_t, 2> both = pair((first + i) / 2, 0);
      words[i] = both[0];
      if (i + 1 < count) words[i + 1] = both[1];
    }
  }

 private:
  // One block of Philox is 128 bits: two elements.
  std::array<std::uint64_t, 2> pair(std::uint64_t block, std::uint32_t lane) const {
    const auto words =
        philox4x32({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), stream_, lane}, key_);
    return {words[0] | std::uint64_t{words[1]} << 32, words[2] | std::uint64_t{words[3]} << 32};
  }

  std::array<std::uint32_t, 2> key_;
  std::uint32_t stream_;
};

}  // namespace kgate::cases
