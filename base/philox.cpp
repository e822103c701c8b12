#include "base/philox.h"

#include <cerrno>

#include <sys/random.h>

#include "base/error.h"

namespace kgate {
namespace {

__extension__ using Wide = unsigned __int128;

// The constants of the paper: two odd multipliers with good avalanche, and the Weyl steps of the keys (the golden ratio
// and sqrt(3) - 1).
constexpr std::uint32_t kMultiplier0 = 0xd2511f53, kMultiplier1 = 0xcd9e8d57;
constexpr std::uint32_t kStep0 = 0x9e3779b9, kStep1 = 0xbb67ae85;
constexpr int kRounds = 10;

constexpr std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
constexpr std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter[0];
    const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter[2];
    counter = {high(product1) ^ counter[1] ^ key[0], low(product1), high(product0) ^ counter[3] ^ key[1],
               low(product0)};
    key[0] += kStep0;
    key[1] += kStep1;
  }
  return counter;
}

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t stream) : key_{low(seed), high(seed)}, stream_(stream) {}

std::uint32_t RandomStream::next32() {
  if (used_ == words_.size()) {
    words_ = philox4x32({low(block_), high(block_), low(stream_), high(stream_)}, key_);
    ++block_;
    used_ = 0;
  }
  return words_[used_++];
}

std::uint64_t RandomStream::next64() {
  const std::uint64_t lower = next32();
  return lower | std::uint64_t{next32()} << 32;
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  if (bound == 0) throw Error(ErrorKind::internal, "random number", "is asked for below 0");
  Wide product = Wide{next64()} * bound;
  // Only products whose lower half is under 2^64 mod bound are too many for some results; that is rare, and so is the
  // division.
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) product = Wide{next64()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double RandomStream::uniform() {
  return static_cast<double>(next64() >> 11) * 0x1p-53;
}

std::uint64_t fresh_seed() {
  std::uint64_t seed = 0;
  while (::getrandom(&seed, sizeof(seed), 0) != static_cast<ssize_t>(sizeof(seed))) {
    if (errno != EINTR) throw system_error("random numbers", "the operating system gives none", errno);
  }
  return seed;
}

}  // namespace kgate
