#include "gate/search/tuner/tuner.h"

#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"
#include "tests/support/catch.h"

using namespace kgate::tuner;

namespace {

Space square(Space::Feasible feasible = {}) {
  return Space({{"X", {"1", "2", "4", "8", "16"}}, {"Y", {"1", "2", "4", "8", "16"}}}, std::move(feasible));
}

// A bowl in the logarithm of both, best at X = 8, Y = 2.
double bowl(const Configuration& at) {
  const double x = at[0] - 3.0, y = at[1] - 1.0;
  return 10 + x * x + y * y;
}

}  // namespace

TEST_CASE("a tuner suggests every configuration of a small space once, and then no more") {
  Tuner tuner(square());
  std::set<Configuration> seen;
  while (const auto next = tuner.suggest()) {
    CHECK(seen.insert(*next).second);
    tuner.observe(*next, bowl(*next));
    REQUIRE(seen.size() <= 25);
  }
  CHECK(seen.size() == 25);
  CHECK(tuner.best() == Configuration{3, 1});
  CHECK(tuner.best_time() == 10.0);
}

TEST_CASE("a tuner finds the bottom of a bowl of 25 long before it has seen all") {
  Tuner tuner(square());
  for (int i = 0; i < 15; ++i) {
    const auto next = tuner.suggest();
    REQUIRE(next);
    tuner.observe(*next, bowl(*next));
  }
  CHECK(*tuner.best_time() <= 11);
}

TEST_CASE("what was suggested and is not known yet is not suggested again") {
  Tuner tuner(square());
  std::set<Configuration> asked;
  for (int i = 0; i < 10; ++i) CHECK(asked.insert(*tuner.suggest()).second);
}

TEST_CASE("the same seed and outcomes make the same suggestions") {
  Tuner one(square(), {7}), other(square(), {7});
  for (int i = 0; i < 12; ++i) {
    const auto a = one.suggest(), b = other.suggest();
    REQUIRE(a == b);
    one.observe(*a, bowl(*a));
    other.observe(*b, bowl(*b));
  }
}

TEST_CASE("what is not feasible is never suggested, and failures alone do not end a search") {
  Tuner tuner(square([](const Configuration& at) { return at[0] >= at[1]; }));
  int count = 0;
  while (const auto next = tuner.suggest()) {
    CHECK((*next)[0] >= (*next)[1]);
    tuner.observe(*next, std::nullopt);
    ++count;
  }
  CHECK(count == 15);
  CHECK_FALSE(tuner.best());
}

TEST_CASE("a space of one configuration, and parameters of one or two values, are spaces") {
  using Tunables = std::map<std::string, std::vector<std::string>>;
  Tuner one(Space(Tunables{{"A", {"x"}}}));
  CHECK(one.suggest());
  CHECK_FALSE(one.suggest());
  Tuner two(Space(Tunables{{"A", {"x"}}, {"B", {"off", "on"}}}));
  CHECK(two.suggest());
  CHECK(two.suggest());
  CHECK_FALSE(two.suggest());
}

TEST_CASE("a time that is none, and a configuration of another space, are refused") {
  Tuner tuner(square());
  for (const double time : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS(tuner.observe({0, 0}, time), kgate::Error);
  CHECK_THROWS_AS(tuner.observe({0}, 1.0), kgate::Error);
  CHECK_THROWS_AS(tuner.observe({5, 0}, 1.0), kgate::Error);
}

TEST_CASE("a space of more than a million configurations is not enumerated") {
  std::map<std::string, std::vector<std::string>> tunables;
  for (const char name : std::string("ABCDEFGH")) {
    for (int i = 0; i < 10; ++i) tunables[std::string(1, name)].push_back(std::to_string(i));
  }
  Tuner tuner{Space(tunables)};
  for (int i = 0; i < 8; ++i) {
    const auto next = tuner.suggest();
    REQUIRE(next);
    tuner.observe(*next, 1.0 + (*next)[0]);
  }
}
