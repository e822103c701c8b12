#include "gate/search/tuner/tuner.h"

#include <cmath>
#include <deque>
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

// 16 x 16 x 3; its bottom is 1, at X = 5, Y = 9, Z = 2.
Space wide() {
  std::vector<std::string> values;
  for (int i = 1; i <= 16; ++i) values.push_back(std::to_string(32 * i));
  return Space({{"X", values}, {"Y", values}, {"Z", {"a", "b", "c"}}});
}

double wide_bowl(const Configuration& at) {
  const double x = (at[0] - 5.0) / 8, y = (at[1] - 9.0) / 8;
  return std::exp(x * x + y * y + x * y / 2) * (at[2] == 2 ? 1 : 1.2);
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
  const auto complaint_of = [&](const Configuration& configuration, double time) -> std::string {
    try {
      tuner.observe(configuration, time);
    } catch (const kgate::Error& error) {
      return error.what();
    }
    return "no complaint";
  };
  CHECK(complaint_of({0, 0}, 0) == "X=1 Y=1: has the time 0, which is no positive number");
  CHECK(complaint_of({1, 2}, -2.5) == "X=2 Y=4: has the time -2.5, which is no positive number");
  CHECK(complaint_of({0, 0}, std::nan("")) == "X=1 Y=1: has the time nan, which is no positive number");
  CHECK(complaint_of({0, 0}, std::numeric_limits<double>::infinity()) ==
        "X=1 Y=1: has the time inf, which is no positive number");
  CHECK(complaint_of({0}, 1) == "configuration: does not belong to the space of the tuner");
  CHECK(complaint_of({5, 0}, 1) == "configuration: does not belong to the space of the tuner");
  CHECK_THROWS_AS(tuner.expect({5, 0}), kgate::Error);
  CHECK_FALSE(tuner.best());
}

TEST_CASE("what was observed or is expected from elsewhere is not suggested, and counts as known") {
  Tuner tuner(square());
  tuner.observe({3, 1}, 10.0);
  tuner.expect({2, 2});
  CHECK(tuner.best() == Configuration{3, 1});
  int count = 0;
  while (const auto next = tuner.suggest()) {
    CHECK(*next != Configuration{3, 1});
    CHECK(*next != Configuration{2, 2});
    tuner.observe(*next, bowl(*next));
    ++count;
  }
  CHECK(count == 23);
}

TEST_CASE("the later outcome of a configuration counts") {
  Tuner tuner(square());
  tuner.observe({0, 0}, 5.0);
  tuner.observe({1, 1}, 7.0);
  tuner.observe({0, 0}, std::nullopt);
  CHECK(tuner.best() == Configuration{1, 1});
  tuner.observe({0, 0}, 6.0);
  CHECK(tuner.best_time() == 6.0);
}

TEST_CASE("four suggestions ahead of their outcomes still lead to the bottom of a bowl") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Tuner tuner(wide(), {seed});
    std::deque<Configuration> open;
    std::set<Configuration> asked;
    for (int i = 0; i < 60; ++i) {
      const auto next = tuner.suggest();
      REQUIRE(next);
      CHECK(asked.insert(*next).second);
      open.push_back(*next);
      if (open.size() < 4) continue;
      tuner.observe(open.front(), wide_bowl(open.front()));
      open.pop_front();
    }
    CHECK(*tuner.best_time() < 1.1);
  }
}

TEST_CASE("failures teach: of a space that fails by half, far less than half of the suggestions do") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Tuner tuner(wide(), {seed});
    int failures = 0;
    for (int i = 0; i < 60; ++i) {
      const auto next = tuner.suggest();
      REQUIRE(next);
      const bool fails = (*next)[0] >= 8;
      failures += fails;
      tuner.observe(*next, fails ? Outcome() : wide_bowl(*next));
    }
    CHECK(failures <= 20);
    CHECK(*tuner.best_time() < 1.1);
  }
}

TEST_CASE("a start of failures alone is left behind") {
  Tuner tuner(wide());
  for (std::uint16_t x = 0; x < 10; ++x) tuner.observe({x, 0, 0}, std::nullopt);
  for (int i = 0; i < 60; ++i) {
    const auto next = tuner.suggest();
    REQUIRE(next);
    tuner.observe(*next, wide_bowl(*next));
  }
  CHECK(*tuner.best_time() < 1.1);
}

TEST_CASE("a function that is the same everywhere is looked at everywhere, once") {
  Tuner tuner(square());
  std::set<Configuration> seen;
  while (const auto next = tuner.suggest()) {
    CHECK(seen.insert(*next).second);
    tuner.observe(*next, 3.0);
  }
  CHECK(seen.size() == 25);
}

TEST_CASE("categories are tuned too") {
  const Space space({{"LAYOUT", {"row", "column", "tiled", "swizzled"}},
                     {"LOAD", {"ldg", "cp.async", "tma"}},
                     {"UNROLL", {"no", "yes"}},
                     {"STAGES", {"1", "2", "3", "4", "5"}}});
  const Configuration best{2, 1, 3, 0};  // LAYOUT, LOAD, STAGES, UNROLL
  Tuner tuner(space);
  for (int i = 0; i < 40; ++i) {
    const auto next = tuner.suggest();
    REQUIRE(next);
    double time = 1;
    for (std::size_t k = 0; k < best.size(); ++k) time *= (*next)[k] == best[k] ? 1 : 1.3;
    tuner.observe(*next, time);
  }
  CHECK(tuner.best() == best);
}

TEST_CASE("an estimate comes with what the model suggested, and with nothing else") {
  Tuner tuner(square());
  tuner.observe({4, 4}, bowl({4, 4}));
  const auto drawn = tuner.suggest();
  CHECK_FALSE(tuner.estimate(*drawn));
  tuner.observe(*drawn, bowl(*drawn));
  tuner.observe({0, 4}, bowl({0, 4}));
  const auto suggested = tuner.suggest();
  const auto estimate = tuner.estimate(*suggested);
  REQUIRE(estimate);
  CHECK(estimate->deviation > 0);
  CHECK(std::exp(estimate->log_time) > 1);
  CHECK(std::exp(estimate->log_time) < 100);
  CHECK_FALSE(tuner.estimate({4, 4}));
  CHECK_FALSE(tuner.estimate({2, 2}));
}

TEST_CASE("with fewer candidates than configurations all are suggested in the end") {
  Tuner tuner(wide(), {1, 50});
  std::set<Configuration> seen;
  while (const auto next = tuner.suggest()) {
    CHECK(seen.insert(*next).second);
    tuner.observe(*next, wide_bowl(*next));
  }
  CHECK(seen.size() == 768);
}

TEST_CASE("three feasible configurations among 65536 are found") {
  std::map<std::string, std::vector<std::string>> tunables;
  for (const char name : std::string("ABCD")) {
    for (int i = 0; i < 16; ++i) tunables[std::string(1, name)].push_back(std::to_string(i));
  }
  const std::set<Configuration> feasible{{1, 2, 3, 4}, {15, 0, 0, 15}, {7, 7, 7, 7}};
  Tuner tuner(Space(tunables, [&](const Configuration& at) { return feasible.contains(at); }));
  std::set<Configuration> seen;
  while (const auto next = tuner.suggest()) seen.insert(*next);
  CHECK(seen == feasible);
}

TEST_CASE("without a feasible configuration, or without parameters, there is little to suggest") {
  Tuner none(square([](const Configuration&) { return false; }));
  CHECK_FALSE(none.suggest());
  Tuner empty{Space(std::map<std::string, std::vector<std::string>>{})};
  CHECK(empty.suggest() == Configuration{});
  CHECK_FALSE(empty.suggest());
}

TEST_CASE("a space of a hundred million configurations is tuned without being enumerated") {
  std::map<std::string, std::vector<std::string>> tunables;
  for (const char name : std::string("ABCDEFGH")) {
    for (int i = 0; i < 10; ++i) tunables[std::string(1, name)].push_back(std::to_string(i));
  }
  const auto time = [](const Configuration& at) {
    double sum = 0;
    for (std::size_t i = 0; i < at.size(); ++i) sum += std::pow(at[i] - static_cast<double>(i), 2);
    return std::exp(sum / 100);
  };
  std::int64_t asked = 0;
  Tuner tuner(Space(tunables, [&](const Configuration& at) {
    ++asked;
    return at[0] != at[1];
  }));
  std::set<Configuration> seen;
  for (int i = 0; i < 80; ++i) {
    const auto next = tuner.suggest();
    REQUIRE(next);
    CHECK((*next)[0] != (*next)[1]);
    CHECK(seen.insert(*next).second);
    tuner.observe(*next, time(*next));
  }
  CHECK(asked < 200'000);
  // The best of a thousand random draws.
  kgate::RandomStream random(3, 0);
  double best = HUGE_VAL;
  for (int i = 0; i < 1000; ++i) {
    Configuration at(8);
    for (auto& one : at) one = static_cast<std::uint16_t>(random.below(10));
    best = std::min(best, time(at));
  }
  CHECK(*tuner.best_time() < best);
}
