#include "gate/stats/creep.h"

#include <cmath>

#include "bench/nights.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::stats;

namespace {

std::vector<Night> nights_at(double log_ratio, std::uint64_t stream, std::size_t count, double bad = 0) {
  RandomStream random(11, stream);
  return bench::nights_of(random, count, {0.01, 0, bad, 0}, [&](std::size_t) { return log_ratio; });
}

}  // namespace

TEST_CASE("what crept since the release is told with its interval, bad nights or not") {
  int covered = 0, over = 0;
  constexpr int kSeries = 1000;
  for (std::uint64_t i = 0; i < kSeries; ++i) {
    const auto one = creep(nights_at(0, 2 * i, 20, 0.05), nights_at(std::log(1.03), 2 * i + 1, 20, 0.05));
    covered += one.low <= 1.03 && 1.03 <= one.high;
    over += one.low > 1.01;
  }
  CHECK(covered > 0.93 * kSeries);
  CHECK(covered < 0.97 * kSeries);
  CHECK(over > 0.99 * kSeries);
}

TEST_CASE("a night's least noise keeps nights that agree by chance from proving anything") {
  const std::vector<Night> release{{1, 3.0}, {2, 3.0}, {3, 3.0}}, last{{8, 3.0003}, {9, 3.0003}, {10, 3.0003}};
  const auto one = creep(release, last);
  CHECK(one.ratio == Approx(std::exp(0.0003)));
  CHECK(one.low < 1);
  CHECK(one.high > 1.0003);
}

TEST_CASE("of one night, or of none, nothing is known") {
  const std::vector<Night> nights{{1, 3.0}, {2, 3.1}}, alone{{9, 3.0}};
  for (const auto& one : {creep(nights, alone), creep(alone, nights), creep(nights, {}), creep({}, {})}) {
    CHECK(one.ratio == 1);
    CHECK(one.low == 0);
    CHECK(std::isinf(one.high));
  }
}
