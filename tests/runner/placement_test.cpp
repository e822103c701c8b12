#include "runner/placement.h"

#include <algorithm>
#include <set>

#include "tests/support/catch.h"

using namespace kgate;
using runner::draw_places;
using runner::Placement;

TEST_CASE("places are disjoint, inside the pool and on the step, whatever is drawn") {
  RandomStream random(1, 0);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::uint64_t> sizes;
    const auto count = 1 + random.below(6);
    for (std::uint64_t i = 0; i < count; ++i) sizes.push_back(random.below(5u << 20));
    const std::uint64_t pool = (32u << 20) + random.below(64u << 20);
    const auto placement = trial % 2 == 0 ? Placement::any : Placement::segment;
    const std::uint64_t step = placement == Placement::any ? 4096 : 2u << 20;
    const auto places = draw_places(sizes, pool, placement, random);
    if (places.empty()) continue;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      CHECK(places[i] % step == 0);
      CHECK(places[i] + sizes[i] <= pool);
      if (sizes[i] > 0) ranges.emplace_back(places[i], places[i] + sizes[i]);
    }
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 1; i < ranges.size(); ++i) CHECK(ranges[i - 1].second <= ranges[i].first);
  }
}

TEST_CASE("every block draws a new place, and fixed never does") {
  RandomStream random(2, 0);
  std::set<std::uint64_t> places, fixed;
  for (int i = 0; i < 100; ++i) {
    places.insert(draw_places({1 << 20}, std::uint64_t{1} << 30, Placement::any, random).front());
    fixed.insert(draw_places({1 << 20}, std::uint64_t{1} << 30, Placement::fixed, random).front());
  }
  CHECK(places.size() > 95);
  CHECK(fixed.size() == 1);
}

TEST_CASE("the pool is used from end to end") {
  RandomStream random(3, 0);
  std::uint64_t lowest = ~0ull, highest = 0;
  for (int i = 0; i < 500; ++i) {
    const auto place = draw_places({4096}, 1 << 24, Placement::any, random).front();
    lowest = std::min(lowest, place);
    highest = std::max(highest, place);
  }
  CHECK(lowest < (1u << 24) / 20);
  CHECK(highest > (1u << 24) * 19ull / 20);
}

TEST_CASE("what does not fit has no place") {
  RandomStream random(4, 0);
  CHECK(draw_places({4097}, 4096, Placement::any, random).empty());
  CHECK(draw_places({1}, 0, Placement::any, random).empty());
}
