#include "gate/cases/permutation.h"

namespace kgate::cases {
namespace {

// A bijective mix of 64 bits with full avalanche: the finaliser of MurmurHash3 (Appleby, public domain), as the round
// function.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdU;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53U;
  return x ^ x >> 33;
}

}  // namespace

Permutation::Permutation(std::uint64_t n, const RandomWords& words, std::uint32_t lane) : n_(n), keys_{} {
  unsigned bits = 2;  // both halves need one
  while (bits < 63 && (std::uint64_t{1} << bits) < n) ++bits;
  low_bits_ = bits / 2;
  high_bits_ = bits - low_bits_;
  for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = words.at(i, lane);
}

std::uint64_t Permutation::encrypt(std::uint64_t value) const {
  const std::uint64_t low_mask = (std::uint64_t{1} << low_bits_) - 1, high_mask = (std::uint64_t{1} << high_bits_) - 1;
  std::uint64_t low = value & low_mask, high = value >> low_bits_;
  // The halves may differ by a bit, so they are not swapped: each in turn is changed by the other.
  for (std::size_t i = 0; i < keys_.size(); i += 2) {
    high ^= mix(low ^ keys_[i]) & high_mask;
    low ^= mix(high ^ keys_[i + 1]) & low_mask;
  }
  return high << low_bits_ | low;
}

std::uint64_t Permutation::at(std::uint64_t index) const {
  std::uint64_t value = encrypt(index);
  while (value >= n_) value = encrypt(value);  // less than two steps on average
  return value;
}

}  // namespace kgate::cases
