#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace kgate {

// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel Random Numbers: As Easy as 1, 2, 3", SC'11): a pure function of
// counter and key, so element i of an input needs no other element, and every platform computes the same bits.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// A stream of numbers over it, for orders and placements.
class RandomStream {
 public:
  // Streams of one seed with different numbers are independent.
  RandomStream(std::uint64_t seed, std::uint64_t stream);
  std::uint32_t next32();
  std::uint64_t next64();
  // Uniform over 0 .. bound-1, without bias (Lemire's method); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  // Uniform over [0, 1), 53 bits.
  double uniform();
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[below(left)]);
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint64_t stream_, block_ = 0;
  std::array<std::uint32_t, 4> words_{};
  unsigned used_ = 4;
};

// 64 bits from the operating system, for secret seeds.
std::uint64_t fresh_seed();

}  // namespace kgate
