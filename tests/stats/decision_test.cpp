#include "gate/stats/decision.h"

#include <cmath>
#include <vector>

#include "base/philox.h"
#include "tests/support/catch.h"

using namespace kgate;
using stats::Finding;

namespace {

// Standard normal by Box and Muller.
double normal(RandomStream& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307179586 * random.uniform());
}

std::vector<double> round_of(RandomStream& random, int blocks, double shift, double spread) {
  std::vector<double> round;
  for (int i = 0; i < blocks; ++i) round.push_back(std::log1p(shift) + spread * normal(random));
  return round;
}

stats::Evidence evidence_of(std::uint64_t seed, int rounds, int blocks, double shift, double spread) {
  RandomStream random(seed, 0);
  stats::Evidence evidence;
  for (int i = 0; i < rounds; ++i) evidence.rounds.push_back(round_of(random, blocks, shift, spread));
  return evidence;
}

}  // namespace

TEST_CASE("two quiet rounds of an equal kernel pass") {
  const auto decision = stats::decide(evidence_of(1, 2, 12, 0, 0.003), {});
  CHECK(decision.finding == Finding::not_slower);
  CHECK(decision.high < 1.02);
  CHECK(decision.blocks == 24);
  CHECK(decision.rounds == 2);
}

TEST_CASE("a kernel that is 4 % slower is slower and one that is 4 % faster is faster") {
  CHECK(stats::decide(evidence_of(2, 2, 12, 0.04, 0.003), {}).finding == Finding::slower);
  CHECK(stats::decide(evidence_of(2, 2, 12, -0.04, 0.003), {}).finding == Finding::faster);
}

TEST_CASE("one process alone decides nothing, however sure it is") {
  const auto decision = stats::decide(evidence_of(3, 1, 500, 0.1, 0.001), {});
  CHECK(decision.finding == Finding::undecided);
  CHECK(decision.why.find(": another round") != std::string::npos);
}

TEST_CASE("a round of six blocks does not count as one") {
  auto evidence = evidence_of(4, 1, 500, 0.1, 0.001);
  evidence.rounds.push_back({0.1, 0.1, 0.1, 0.1, 0.1, 0.1});
  CHECK(stats::decide(evidence, {}).finding == Finding::undecided);
  evidence.rounds.back().push_back(0.1);
  CHECK(stats::decide(evidence, {}).finding == Finding::slower);
}

TEST_CASE("inside the zone an exact answer goes by the middle") {
  CHECK(stats::decide(evidence_of(5, 4, 4000, 0.010, 0.003), {}).finding == Finding::not_slower);
  CHECK(stats::decide(evidence_of(5, 4, 4000, 0.015, 0.003), {}).finding == Finding::slower);
}

TEST_CASE("a noisy machine is undecided and says how many blocks it needs") {
  const auto decision = stats::decide(evidence_of(6, 2, 12, 0.012, 0.05), {});
  CHECK(decision.finding == Finding::undecided);
  CHECK(decision.blocks_needed > 3 * decision.blocks);
}

TEST_CASE("no evidence is undecided, and so are blocks without any spread in one round") {
  CHECK(stats::decide({}, {}).finding == Finding::undecided);
  CHECK(stats::decide({{std::vector<double>(20, 0.5)}}, {}).finding == Finding::undecided);
  // All samples equal is no reason to fail: a clock that ticks coarsely does that.
  CHECK(stats::decide({{std::vector<double>(20, 0.0), std::vector<double>(20, 0.0)}}, {}).finding ==
        Finding::not_slower);
}

TEST_CASE("for a very short kernel the zone is as wide as the absolute floor") {
  const auto zone = stats::zone_for({0.005, 0.02, 0.02}, 0.5);
  CHECK(zone.tolerate == Approx(0.04));
  CHECK(zone.block == Approx(0.08));
  const auto longer = stats::zone_for({0.005, 0.02, 0.02}, 100);
  CHECK(longer.tolerate == 0.005);
  CHECK(longer.block == 0.02);
}

TEST_CASE("more cases in a suite make each decision stricter") {
  const auto evidence = evidence_of(7, 2, 12, 0, 0.003);
  stats::DecisionOptions many;
  many.cases = 10000;
  CHECK(stats::decide(evidence, many).high > stats::decide(evidence, {}).high);
}

TEST_CASE("at the edge of tolerate, and at the edge of block, it errs no more often than it says") {
  // With the look's error at 2 % instead of 0.05 %, 4000 trials tell.
  stats::DecisionOptions options;
  options.error = 0.04;  // half of it is the first look's
  options.round_spread = 0;
  int blocked = 0, passed = 0;
  constexpr int kTrials = 4000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto seed = static_cast<std::uint64_t>(trial);
    blocked += stats::decide(evidence_of(seed, 2, 15, options.zone.tolerate, 0.01), options).finding == Finding::slower;
    passed += stats::decide(evidence_of(seed + 100000, 2, 15, options.zone.block, 0.01), options).finding ==
              Finding::not_slower;
  }
  // Three standard errors of 2 % in 4000 trials are 0.66 %.
  CHECK(blocked <= kTrials * 0.0266);
  CHECK(passed <= kTrials * 0.0266);
}

TEST_CASE("bursts that hit a tenth of the blocks do not make a kernel slower") {
  RandomStream random(11, 5);
  int alarms = 0;
  for (int trial = 0; trial < 300; ++trial) {
    stats::Evidence evidence;
    for (int i = 0; i < 2; ++i) {
      auto round = round_of(random, 30, 0, 0.004);
      for (auto& value : round) value += random.uniform() < 0.1 ? 0.5 * (random.uniform() < 0.5 ? -1 : 1) : 0;
      evidence.rounds.push_back(std::move(round));
    }
    alarms += stats::decide(evidence, {}).finding == Finding::slower;
  }
  CHECK(alarms == 0);
}

TEST_CASE("a fresh round confirms only what it sees itself") {
  RandomStream random(12, 5);
  CHECK(stats::confirms(round_of(random, 12, 0.04, 0.003), {}));
  CHECK_FALSE(stats::confirms(round_of(random, 12, 0.0, 0.003), {}));
}

TEST_CASE("the reason gives the numbers and what they mean") {
  stats::Evidence evidence{{std::vector<double>(20, std::log(1.05)), std::vector<double>(20, std::log(1.05))}};
  stats::DecisionOptions options;
  options.round_spread = 0;
  CHECK(stats::decide(evidence, options).why == "40 blocks in 2 rounds: +5.00 % [+5.00, +5.00]: over 0.5 %: slower");
}

TEST_CASE("the looks' parts of the error never add up to more than the case's share of it") {
  stats::DecisionOptions options;
  options.cases = 100;
  double sum = 0;
  for (std::int64_t look = 1; look <= 100000; ++look) sum += stats::error_of_look(options, look);
  CHECK(stats::error_of_look(options, 1) == Approx(0.5e-5));
  CHECK(sum <= 1e-5);
  CHECK(sum > 0.9999e-5);
}

TEST_CASE("ten thousand cases and one case both get right answers") {
  for (const std::int64_t cases : {1, 10000}) {
    stats::DecisionOptions options;
    options.cases = cases;
    CHECK(stats::decide(evidence_of(21, 2, 60, 0, 0.003), options).finding == Finding::not_slower);
    CHECK(stats::decide(evidence_of(22, 2, 60, 0.05, 0.003), options).finding == Finding::slower);
    CHECK(stats::decide(evidence_of(23, 2, 12, 0.012, 0.05), options).finding == Finding::undecided);
  }
}

TEST_CASE("samples that all agree are known no better than the clock ticks") {
  // 7 us in steps of 32 ns: both arms may be anywhere in their tick.
  stats::DecisionOptions options;
  options.round_spread = 0;
  options.resolution = 0.032 / 7;
  const stats::Evidence equal{{std::vector<double>(20, 0.0), std::vector<double>(20, 0.0)}};
  const auto coarse = stats::decide(equal, options);
  CHECK(coarse.high - 1 > options.resolution);
  options.resolution = 0;
  CHECK(stats::decide(equal, options).high - 1 < 1e-9);
}

TEST_CASE("rounds that disagree widen the interval once there are four of them") {
  stats::Evidence evidence;
  RandomStream random(31, 7);
  for (const double shift : {-0.004, 0.004, -0.003, 0.003})
    evidence.rounds.push_back(round_of(random, 40, shift, 0.001));
  stats::Evidence three{{evidence.rounds[0], evidence.rounds[1], evidence.rounds[2]}};
  // What the pooled blocks show of it is not all: they are not independent.
  const auto width = [](const stats::Decision& decision) { return decision.high - decision.low; };
  CHECK(width(stats::decide(evidence, {})) > 1.5 * width(stats::decide(three, {})));
}

TEST_CASE("what is expected of a machine's noise is what an interval of such noise has") {
  stats::DecisionOptions options;
  const double level = stats::error_of_look(options, 1);
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto found = stats::interval(evidence_of(seed, 2, 100, 0, 0.01), options, level);
    sum += std::log(found.high / found.low) / 2 / 200;
  }
  CHECK(sum == Approx(stats::expected_half_width(0.01, 200, 2, options, level)).epsilon(0.1));
}
