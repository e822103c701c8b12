#pragma once

#include <array>
#include <cstdint>

#include "gate/cases/random_words.h"

namespace kgate::cases {

// A random order of 0 .. n-1 of which each element can be asked for by itself: a Feistel network over the smallest
// power of two that is not under n, walked until the result is under n (Black and Rogaway, "Ciphers with Arbitrary
// Finite Domains", CT-RSA 2002). A shuffle would need all elements before it, in one thread. It is made for test
// inputs: for small n not every order can come out.
class Permutation {
 public:
  // `lane` of the words gives the round keys. n is at least 1 and at most 2^53.
  Permutation(std::uint64_t n, const RandomWords& words, std::uint32_t lane);
  std::uint64_t at(std::uint64_t index) const;

 private:
  std::uint64_t encrypt(std::uint64_t value) const;

  std::uint64_t n_;
  unsigned low_bits_, high_bits_;
  std::array<std::uint64_t, 8> keys_;
};

}  // namespace kgate::cases
