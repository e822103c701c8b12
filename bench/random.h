#pragma once

#include <cstdint>
#include <limits>

#include "base/philox.h"

namespace kgate::bench {

// The random numbers of one trial. A trial's numbers depend on the seed and its own number alone, so results do not
// depend on how trials are shared out among threads.
class Random {
 public:
  using result_type = std::uint64_t;  // a UniformRandomBitGenerator, for Boost's distributions
  Random(std::uint64_t seed, std::uint64_t trial) : stream_(seed, trial) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return stream_.next64(); }

  double uniform() { return stream_.uniform(); }
  bool chance(double p) { return uniform() < p; }
  std::uint64_t below(std::uint64_t bound) { return stream_.below(bound); }
  double normal();       // mean 0, standard deviation 1
  double exponential();  // mean 1
  double student3();     // Student's t with 3 degrees of freedom; its standard deviation is sqrt(3)

 private:
  RandomStream stream_;
};

}  // namespace kgate::bench
