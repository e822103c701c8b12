#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "gate/verdict/bisect/search.h"
#include "tests/support/catch.h"

using kgate::verdict::halfway;
using kgate::verdict::Ratio;
using kgate::verdict::Search;
using kgate::verdict::Side;

namespace {

struct Outcome {
  std::size_t looks = 0;
  std::optional<std::size_t> good;
  std::size_t bad = 0;
  std::set<std::size_t> looked;
};

Outcome play(std::size_t count, const std::function<Side(std::size_t)>& side, bool first_is_good = true) {
  Search search(count, first_is_good);
  Outcome outcome;
  while (const auto version = search.next()) {
    REQUIRE(*version < count - 1);
    REQUIRE(outcome.looked.insert(*version).second);  // never twice
    search.put(*version, side(*version));
  }
  outcome.looks = outcome.looked.size();
  outcome.good = search.good();
  outcome.bad = search.bad();
  return outcome;
}

std::size_t ceil_log2(std::size_t number) {
  std::size_t bits = 0;
  while ((std::size_t{1} << bits) < number) ++bits;
  return bits;
}

Ratio exactly(double ln) {
  return {std::exp(ln), std::exp(ln - 0.002), std::exp(ln + 0.002)};
}

// The step that is found where each version adds so much (in ln), with every look right.
std::size_t found_step(const std::vector<double>& added) {
  std::vector<double> height{0};
  for (const double one : added) height.push_back(height.back() + one);
  Search search(height.size(), true);
  while (const auto version = search.next()) {
    search.put(*version, halfway(exactly(height[*version]), true, exactly(height[*search.good()]),
                                 exactly(height[search.bad()])));
  }
  REQUIRE(search.candidates() == 1);
  return search.bad() - 1;
}

}  // namespace

TEST_CASE("every culprit is found, wherever it is, in as many looks as halving takes") {
  for (std::size_t count = 2; count <= 70; ++count) {
    for (std::size_t culprit = 1; culprit < count; ++culprit) {
      const auto outcome = play(count, [&](std::size_t one) { return one < culprit ? Side::good : Side::bad; });
      INFO(count << " versions, culprit " << culprit);
      REQUIRE(outcome.bad == culprit);
      REQUIRE(outcome.good == culprit - 1);
      REQUIRE(outcome.looks <= ceil_log2(count - 1));
    }
  }
}

TEST_CASE("a thousand commits take ten looks beside the bad end's own") {
  std::size_t most = 0;
  for (std::size_t culprit = 1; culprit <= 1000; ++culprit) {
    const auto outcome = play(1001, [&](std::size_t one) { return one < culprit ? Side::good : Side::bad; });
    REQUIRE(outcome.bad == culprit);
    most = std::max(most, outcome.looks);
  }
  CHECK(most == 10);
  // Where the good end may have it too, it is one candidate more, and no look more.
  for (std::size_t culprit = 0; culprit <= 1000; ++culprit) {
    const auto outcome = play(
        1001, [&](std::size_t one) { return one < culprit ? Side::good : Side::bad; }, false);
    REQUIRE(outcome.bad == culprit);
    REQUIRE(outcome.good.has_value() == (culprit > 0));
    most = std::max(most, outcome.looks);
  }
  CHECK(most == 10);
}

TEST_CASE("with any set of versions that tell nothing, the answer has the culprit and nothing that could be excluded") {
  constexpr std::size_t kCount = 11;
  for (unsigned mask = 0; mask < (1u << (kCount - 2)); ++mask) {
    const auto silent = [&](std::size_t one) {
      return one >= 1 && one < kCount - 1 && ((mask >> (one - 1)) & 1u) != 0;
    };
    for (std::size_t culprit = 1; culprit < kCount; ++culprit) {
      const auto outcome = play(kCount, [&](std::size_t one) {
        return silent(one) ? Side::unknown : one < culprit ? Side::good : Side::bad;
      });
      // The nearest that tell something, on both sides.
      std::size_t good = culprit - 1, bad = culprit;
      while (silent(good)) --good;
      while (silent(bad)) ++bad;
      INFO("silent " << mask << ", culprit " << culprit);
      REQUIRE(outcome.good == good);
      REQUIRE(outcome.bad == bad);
    }
  }
}

TEST_CASE("one version that tells nothing costs one look more") {
  for (std::size_t culprit = 1; culprit <= 1000; ++culprit) {
    const auto outcome = play(1001, [&](std::size_t one) {
      return one == 500 ? Side::unknown : one < culprit ? Side::good : Side::bad;
    });
    INFO("culprit " << culprit);
    REQUIRE(outcome.looks <= 12);
    REQUIRE(outcome.bad >= culprit);
    REQUIRE(outcome.bad - *outcome.good <= (culprit == 500 || culprit == 501 ? 2 : 1));
  }
}

TEST_CASE("a long stretch that tells nothing is gone round, and not walked through") {
  std::size_t most = 0;
  for (std::size_t culprit = 1; culprit <= 1000; ++culprit) {
    if (culprit >= 300 && culprit <= 701) continue;
    const auto outcome = play(1001, [&](std::size_t one) {
      return one >= 300 && one <= 700 ? Side::unknown : one < culprit ? Side::good : Side::bad;
    });
    INFO("culprit " << culprit);
    REQUIRE(outcome.bad == culprit);
    REQUIRE(outcome.good == culprit - 1);
    most = std::max(most, outcome.looks);
  }
  CHECK(most <= 30);
  // Within it nothing can be told, and that is found without looking at all of it.
  const auto inside = play(1001, [](std::size_t one) {
    return one >= 300 && one <= 700 ? Side::unknown : one < 500 ? Side::good : Side::bad;
  });
  CHECK(inside.good == std::size_t{299});
  CHECK(inside.bad == 701);
  CHECK(inside.looks <= Search::kMostUnknown + 20);
}

TEST_CASE("a search gives up after so many looks that tell nothing") {
  const auto outcome = play(100000, [](std::size_t) { return Side::unknown; });
  CHECK(outcome.looks == Search::kMostUnknown);
  CHECK(outcome.good == std::size_t{0});
  CHECK(outcome.bad == 99999);
}

TEST_CASE("a step that is larger than all others together is found, wherever it is") {
  for (std::size_t place = 0; place < 64; ++place) {
    std::vector<double> added(64, 0.0005);
    added[place] = 0.05;
    CHECK(found_step(added) == place);
    // Others may be faster, too.
    for (std::size_t i = 0; i < added.size(); ++i) {
      if (i != place) added[i] = i % 2 == 0 ? 0.0006 : -0.0006;
    }
    CHECK(found_step(added) == place);
  }
}

TEST_CASE("of a creep in several steps the search follows the larger part each time") {
  // 3 % and 4 % in the second half, 2 % in the first: the half that the middle splits off has more.
  std::vector<double> added(8, 0);
  added[1] = 0.02;
  added[5] = 0.03;
  added[7] = 0.04;
  CHECK(found_step(added) == 7);
  // Equal steps everywhere: one of them, and no more looks than ever.
  CHECK(found_step(std::vector<double>(1000, 0.001)) < 1000);
}

TEST_CASE("what lies halfway goes by its figure, and where the verdict was open only by its whole interval") {
  const Ratio good{1, 1, 1}, bad{1.1, 1.09, 1.11};
  CHECK(halfway({1.001, 0.99, 1.012}, true, good, bad) == Side::good);
  CHECK(halfway({1.098, 1.09, 1.106}, true, good, bad) == Side::bad);
  CHECK(halfway({1.04, 1.02, 1.06}, true, good, bad) == Side::good);
  CHECK(halfway({1.04, 1.02, 1.06}, false, good, bad) == Side::unknown);
  CHECK(halfway({1.01, 0.98, 1.04}, false, good, bad) == Side::good);
  CHECK(halfway({1.09, 1.06, 1.12}, false, good, bad) == Side::bad);
}

TEST_CASE("how much slower one is than another has both errors") {
  const Ratio step = kgate::verdict::rise({1.02, 1.01, 1.0301}, {1.122, 1.11, 1.1341});
  CHECK(step.value == Approx(1.1).epsilon(1e-9));
  CHECK(step.low < 1.09);
  CHECK(step.low > 1.08);
  CHECK(step.high > 1.11);
}
