#include "bench/random.h"

#include <cmath>

#include <boost/random/exponential_distribution.hpp>
#include <boost/random/normal_distribution.hpp>

namespace kgate::bench {

// Boost's ziggurats keep no state between calls and draw the same numbers on every platform, which the standard
// library's distributions do not promise.
double Random::normal() {
  return boost::random::normal_distribution<double>()(*this);
}

double Random::exponential() {
  return boost::random::exponential_distribution<double>()(*this);
}

double Random::student3() {
  double squares = 0;
  for (int i = 0; i < 3; ++i) {
    const double z = normal();
    squares += z * z;
  }
  return normal() / std::sqrt(squares / 3);
}

}  // namespace kgate::bench
