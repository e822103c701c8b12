#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "base/philox.h"
#include "tests/support/errors.h"

using namespace kgate;
using Words = std::array<std::uint32_t, 4>;

TEST_CASE("Philox 4x32-10 gives the known answers that Random123 publishes") {
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a random stream is the same on every machine") {
  RandomStream stream(0, 0);
  CHECK(stream.next32() == 0x6627e8d5);
  CHECK(stream.next32() == 0xe169c58d);
  CHECK(stream.next64() == 0x9b00dbd8bc57ac4cULL);
  const Words second = philox4x32({1, 0, 0, 0}, {0, 0});
  CHECK(stream.next32() == second[0]);
  RandomStream other(0x1111111122222222, 0x3333333344444444);
  CHECK(other.next32() == philox4x32({0, 0, 0x44444444, 0x33333333}, {0x22222222, 0x11111111})[0]);
}

TEST_CASE("streams of one seed differ") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t stream = 0; stream < 100; ++stream) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) seen.insert(RandomStream(seed, stream).next64());
  }
  CHECK(seen.size() == 1000);
}

TEST_CASE("numbers below a bound are below it and even") {
  RandomStream stream(1, 2);
  std::array<int, 6> counts{};
  for (int i = 0; i < 60000; ++i) ++counts.at(stream.below(6));
  double chi_square = 0;
  for (const int count : counts) chi_square += std::pow(count - 10000.0, 2) / 10000;
  CHECK(chi_square < 20.5);  // 5 degrees of freedom, 0.1 %; the stream is fixed, so this cannot flicker
  for (int i = 0; i < 100; ++i) CHECK(stream.below(1) == 0);
  // Three quarters of the range: a plain remainder would give the lower third twice as often.
  const std::uint64_t bound = std::uint64_t{3} << 62;
  int lower = 0;
  for (int i = 0; i < 30000; ++i) lower += stream.below(bound) < bound / 3 ? 1 : 0;
  CHECK(std::abs(lower - 10000) < 400);
  CHECK(error_of([&] { stream.below(0); }) == "internal: random number: is asked for below 0");
}

TEST_CASE("uniform numbers fill [0, 1)") {
  RandomStream stream(3, 4);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double value = stream.uniform();
    REQUIRE(value >= 0);
    REQUIRE(value < 1);
    sum += value;
  }
  CHECK(std::abs(sum / 10000 - 0.5) < 0.015);
}

TEST_CASE("a shuffle keeps every item, and every order comes up") {
  std::set<std::vector<int>> orders;
  RandomStream stream(5, 6);
  for (int i = 0; i < 500; ++i) {
    std::vector<int> items{1, 2, 3, 4};
    stream.shuffle(items);
    CHECK(std::accumulate(items.begin(), items.end(), 0) == 10);
    orders.insert(items);
  }
  CHECK(orders.size() == 24);
}

TEST_CASE("fresh seeds do not repeat") {
  std::set<std::uint64_t> seeds;
  for (int i = 0; i < 100; ++i) seeds.insert(fresh_seed());
  CHECK(seeds.size() == 100);
}
