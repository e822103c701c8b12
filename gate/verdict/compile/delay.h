#pragma once

#include <cstdint>

#include "gate/verdict/compile/compiler.h"

namespace kgate::verdict {

// A kernel that does nothing for as long as it is told, on every backend.
struct Delay {
  Artifact artifact;
  // `sink`: index of a buffer of 4 bytes or more.
  runner::Launch launch(std::uint32_t turns, std::uint32_t sink) const;
};

Delay compile_delay(const CompilerOptions& options);

// What a delay of so many turns costs a sample: microseconds = fixed + turn * turns, from two measured points.
struct DelayCost {
  double fixed_us = 0, turn_us = 0;
  // Turns for a delay of so many microseconds; 0 where even an empty one is longer.
  std::uint32_t turns_for(double us) const;
  double us_of(std::uint32_t turns) const { return fixed_us + turn_us * turns; }
};

}  // namespace kgate::verdict
