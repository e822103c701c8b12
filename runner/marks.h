#pragma once

#include <cstddef>
#include <cstdint>

#include "base/philox.h"
#include "runner/job.h"

namespace kgate::runner {

// What is put into memory before a checked sample, to see what the sample writes: secret, and other ones each time, so
// that a kernel cannot know them and take care.
struct Marks {
  std::byte poison{0xff};  // of outputs and workspaces
  std::byte guard{0};      // of red zones; never the poison
};

inline Marks marks_of(const TimeJob& job, std::uint32_t block) {
  constexpr std::uint64_t kStream = 0x6d61726b00000000;  // of no block
  RandomStream random(job.seed, kStream + job.first_block + block);
  const auto poison = static_cast<unsigned>(random.below(256));
  const auto guard = (poison + 1 + static_cast<unsigned>(random.below(255))) & 0xffU;
  return {std::byte(poison), std::byte(guard)};
}

}  // namespace kgate::runner
