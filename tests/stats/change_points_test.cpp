#include "gate/stats/change_points.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "bench/nights.h"
#include "gate/stats/creep.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::stats;
using bench::NightModel;
using bench::nights_of;

namespace {

constexpr std::size_t kBefore = 120;
constexpr int kSeries = 1000;

std::size_t apart(std::size_t a, std::size_t b) {
  return a > b ? a - b : b - a;
}

double step_at(std::size_t index, std::size_t at, double ratio) {
  return index >= at ? std::log(ratio) : 0;
}

struct Shares {
  double found = 0, dated = 0;  // of all; of those found, within two figures
};

// A step of 2 % once so many figures after it are there.
Shares shares_of(const NightModel& model, std::size_t after) {
  double found = 0, dated = 0;
  for (std::uint64_t i = 0; i < kSeries; ++i) {
    RandomStream random(21, i);
    const auto nights =
        nights_of(random, kBefore + after, model, [](std::size_t k) { return step_at(k, kBefore, 1.02); });
    std::size_t least = kBefore;
    for (const auto& point : change_points(nights)) least = std::min(least, apart(point.index, kBefore));
    found += least <= 8;
    dated += least <= 2;
  }
  return {found / kSeries, dated / found};
}

double false_per_thousand(const NightModel& model, std::uint64_t seed) {
  constexpr std::size_t kNights = 1000, kHistories = 60;
  std::size_t points = 0;
  for (std::uint64_t i = 0; i < kHistories; ++i) {
    RandomStream random(seed, i);
    points += change_points(nights_of(random, kNights, model, [](std::size_t) { return 0.0; })).size();
  }
  return static_cast<double>(points) / kHistories;
}

std::vector<Night> flat(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, 0);
  return nights_of(random, count, {}, [](std::size_t) { return 0.0; });
}

}  // namespace

TEST_CASE(
    "95 in 100 steps of 2 % in noise of 1 % are found eight nights after them, and 95 in 100 of those dated within "
    "two") {
  for (const double missing : {0.0, 0.3}) {
    const auto shares = shares_of({0.01, missing, 0, 0}, 8);
    CAPTURE(missing);
    CHECK(shares.found >= 0.95);
    CHECK(shares.dated >= 0.95);
  }
}

TEST_CASE("with one night in twenty bad, ten nights are needed instead of eight") {
  for (const double missing : {0.0, 0.3}) {
    CAPTURE(missing);
    CHECK(shares_of({0.01, missing, 0.05, 0}, 8).found >= 0.90);
    const auto shares = shares_of({0.01, missing, 0.05, 0}, 10);
    CHECK(shares.found >= 0.95);
    CHECK(shares.dated >= 0.95);
  }
}

TEST_CASE("fewer than one change point is invented in a thousand nights, also where neighbours correlate") {
  CHECK(false_per_thousand({}, 31) < 1);
  CHECK(false_per_thousand({0.01, 0.3, 0, 0}, 32) < 1);
  CHECK(false_per_thousand({0.01, 0, 0.05, 0}, 33) < 1);
  CHECK(false_per_thousand({0.01, 0.3, 0.05, 0}, 34) < 1);
  CHECK(false_per_thousand({0.01, 0, 0, 0.3}, 35) < 1);
}

TEST_CASE("a step up and one down, 20 nights apart, are two change points") {
  int both = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    RandomStream random(41, i);
    const auto nights = nights_of(random, kBefore + 80, {0.01, 0.3, 0.05, 0}, [](std::size_t k) {
      return step_at(k, kBefore, 1.02) + step_at(k, kBefore + 20, 1 / 1.02);
    });
    const auto points = change_points(nights);
    both += points.size() == 2 && points[0].ratio > 1.01 && points[1].ratio < 1 / 1.01 &&
            apart(points[0].index, kBefore) <= 8 && apart(points[1].index, kBefore + 20) <= 8;
  }
  CHECK(both >= 285);
}

TEST_CASE("a creep of 3 % over 60 nights is told as steps once it has come, and as creep against the release") {
  int told = 0, crept = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    RandomStream random(51, i);
    const auto nights = nights_of(random, kBefore + 90, {}, [](std::size_t k) {
      return std::log(1.03) * std::clamp((static_cast<double>(k) - kBefore) / 60, 0.0, 1.0);
    });
    const auto points = change_points(nights);
    told += !points.empty() && points.back().ratio > 1;
    crept += creep(std::span(nights).first(20), std::span(nights).last(20)).low > 1.01;
  }
  CHECK(told >= 285);
  CHECK(crept >= 297);
}

TEST_CASE("95 in 100 intervals hold the planted ratio of a change that is easily seen, bad nights or not") {
  for (const double bad : {0.0, 0.05}) {
    int held = 0;
    for (std::uint64_t i = 0; i < kSeries; ++i) {
      RandomStream random(62, i);
      const auto points = change_points(
          nights_of(random, kBefore + 40, {0.01, 0, bad, 0}, [](std::size_t k) { return step_at(k, kBefore, 0.9); }));
      for (const auto& point : points) held += point.low <= 0.9 && 0.9 <= point.high;
    }
    CAPTURE(bad);
    CHECK(held >= 0.93 * kSeries);
    CHECK(held <= 0.97 * kSeries);
  }
}

TEST_CASE("a change's ratio, interval, days and nights are what was planted") {
  RandomStream random(61, 0);
  auto nights = nights_of(random, 200, {0.005, 0, 0, 0}, [](std::size_t k) { return step_at(k, 140, 0.9); });
  for (std::size_t i = 140; i < nights.size(); ++i) nights[i].day += 30;  // a month without nights before the change
  const auto points = change_points(nights);
  REQUIRE(points.size() == 1);
  const auto& point = points.front();
  CHECK(point.index == 140);
  CHECK(point.last_before == 139);
  CHECK(point.first_after == 170);
  CHECK(point.ratio == Approx(0.9).epsilon(0.003));
  CHECK(point.low < point.ratio);
  CHECK(point.high > point.ratio);
  CHECK(point.p < 1e-9);
  CHECK(point.nights_before == Approx(140).margin(2));
  CHECK(point.nights_after == Approx(60).margin(2));
}

TEST_CASE("a bad night, or a few that agree, change nothing, wherever they are") {
  for (const std::size_t bad : {1, 3, 5}) {
    for (const std::size_t at : {0, 50, 95, 120}) {
      auto nights = flat(120, 71);
      for (std::size_t i = at; i < std::min(at + bad, nights.size()); ++i) nights[i].log_us += std::log(1.2);
      CAPTURE(bad, at);
      CHECK(change_points(nights).empty());
    }
  }
}

TEST_CASE("a change smaller than the least one is none, however sure it is") {
  RandomStream random(81, 0);
  const auto nights = nights_of(random, 400, {0.001, 0, 0, 0}, [](std::size_t k) { return step_at(k, 200, 1.007); });
  CHECK(change_points(nights).empty());
  ChangeOptions finer;
  finer.least_change = 0.005;
  CHECK(change_points(nights, finer).size() == 1);
}

TEST_CASE("times without any noise, and short histories, have the change points that they have") {
  std::vector<Night> nights;
  CHECK(change_points(nights).empty());
  for (std::int64_t day = 0; day < 11; ++day) nights.push_back({day, day < 6 ? 3.0 : 3.1});
  CHECK(change_points(nights).empty());
  nights.push_back({11, 3.1});
  REQUIRE(change_points(nights).size() == 1);
  CHECK(change_points(nights).front().index == 6);
}

TEST_CASE("nights that do not ascend and times that are no numbers are refused") {
  std::vector<Night> twice{{4, 3.0}, {4, 3.0}}, broken{{4, 3.0}, {5, std::nan("")}};
  CHECK_THROWS_AS(change_points(twice), Error);
  CHECK_THROWS_AS(change_points(broken), Error);
}
