#include "gate/stats/trial.h"

#include <cmath>

#include "base/philox.h"
#include "tests/support/catch.h"

using namespace kgate;
using stats::Finding;
using stats::Trial;

namespace {

double normal(RandomStream& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307179586 * random.uniform());
}

std::vector<double> blocks_of(RandomStream& random, std::int64_t count, double ratio, double spread) {
  std::vector<double> blocks;
  for (std::int64_t i = 0; i < count; ++i) blocks.push_back(std::log(ratio) + spread * normal(random));
  return blocks;
}

// Runs a trial to its end; `ratio_of` gives the true ratio in a round.
template <typename RatioOf>
Trial run(RatioOf ratio_of, double spread, std::uint64_t seed = 1, stats::TrialOptions options = {}) {
  RandomStream random(seed, 3);
  Trial trial(options);
  while (trial.open()) {
    trial.start_round();
    while (const auto wanted = trial.wanted()) {
      trial.add(blocks_of(random, wanted, ratio_of(trial.rounds()), spread));
      if (trial.blocks() > 20000) {
        trial.conclude_round();
        return trial;
      }
    }
    trial.conclude_round();
  }
  return trial;
}

double always_even(std::int64_t) {
  return 1;
}

}  // namespace

TEST_CASE("a quiet kernel is decided by the least number of blocks in the least number of rounds") {
  const auto trial = run(always_even, 0.001);
  CHECK(trial.finished());
  CHECK(trial.decision().finding == Finding::not_slower);
  CHECK(trial.blocks() == 14);
  CHECK(trial.rounds() == 2);
  CHECK(trial.trace().size() == 1);
}

TEST_CASE("a noisy kernel shares its blocks out among the rounds and looks seldom") {
  const auto trial = run(always_even, 0.05);
  CHECK(trial.finished());
  CHECK(trial.blocks() > 100);
  CHECK(trial.blocks() < 800);
  CHECK(trial.rounds() == 2);
  CHECK(trial.evidence().rounds[0].size() > 30);
  CHECK(trial.trace().size() < 12);
}

TEST_CASE("a slowdown is suspected in one round and confirmed by another") {
  const auto trial = run([](std::int64_t) { return 1.05; }, 0.002);
  CHECK(trial.finished());
  CHECK(trial.decision().finding == Finding::slower);
  CHECK(trial.rounds() == 3);
}

TEST_CASE("a slowdown that a fresh process does not see is not believed") {
  // Two processes out of many are off by 5 %: a placement, a neighbour.
  const auto trial = run([](std::int64_t round) { return round <= 2 ? 1.05 : 1.0; }, 0.002);
  CHECK(trial.decision().finding != Finding::slower);
  CHECK(trial.trace()[1] == "suspected; a fresh round must confirm it");
}

TEST_CASE("a machine too noisy for the zone ends undecided when the rounds are used up") {
  stats::TrialOptions options;
  options.max_rounds = 3;
  options.most_step = 40;
  RandomStream random(5, 3);
  Trial trial(options);
  while (trial.open()) {
    trial.start_round();
    trial.add(blocks_of(random, std::min<std::int64_t>(trial.wanted(), 20), 1.012, 0.2));
    trial.conclude_round();
  }
  CHECK_FALSE(trial.finished());
  CHECK(trial.rounds() == 3);
  CHECK(trial.decision().finding == Finding::undecided);
}

TEST_CASE("blocks that were dropped do not count, and a trial that no longer answers is open again") {
  auto trial = run(always_even, 0.001);
  REQUIRE(trial.finished());
  trial.drop(0, 0, 7);
  CHECK_FALSE(trial.finished());
  CHECK(trial.open());
  CHECK(trial.blocks() == 7);
  RandomStream random(9, 3);
  trial.start_round();
  while (const auto wanted = trial.wanted()) trial.add(blocks_of(random, wanted, 1, 0.001));
  CHECK(trial.finished());
  CHECK(trial.decision().finding == Finding::not_slower);
}

TEST_CASE("dropping a few blocks of many leaves the answer") {
  auto trial = run(always_even, 0.02);
  REQUIRE(trial.finished());
  const auto blocks = trial.blocks();
  trial.drop(0, 3, 2);
  CHECK(trial.blocks() == blocks - 2);
  // Beyond what is there: nothing.
  trial.drop(7, 0, 5);
  trial.drop(0, 100000, 5);
  CHECK(trial.blocks() == blocks - 2);
}

TEST_CASE("equal samples, to the last digit, are an answer") {
  Trial trial({});
  while (trial.open()) {
    trial.start_round();
    while (const auto wanted = trial.wanted()) trial.add(std::vector<double>(static_cast<std::size_t>(wanted), 0.0));
    trial.conclude_round();
  }
  CHECK(trial.finished());
  CHECK(trial.decision().finding == Finding::not_slower);
}

TEST_CASE("blocks that come after a slowdown is suspected do not confirm it in the same round") {
  // Another comparison on the same blocks wants more of them.
  Trial trial({});
  const std::vector<double> seven(7, std::log(1.05));
  for (int round = 0; round < 2; ++round) {
    trial.start_round();
    trial.add(seven);
    trial.add(seven);
    trial.conclude_round();
  }
  CHECK_FALSE(trial.finished());
  CHECK(trial.confirming());
  CHECK(trial.trace().back() == "suspected; a fresh round must confirm it");
  trial.start_round();
  trial.add(seven);
  CHECK(trial.finished());
  CHECK(trial.rounds() == 3);
  CHECK(trial.decision().blocks == 35);
}

TEST_CASE("what was dropped is forgotten at once, and rounds come in its place") {
  stats::TrialOptions options;
  options.max_rounds = 2;
  RandomStream random(11, 3);
  Trial trial(options);
  while (trial.open()) {
    trial.start_round();
    trial.add(blocks_of(random, 7, 1.3, 0.2));
    trial.conclude_round();
  }
  REQUIRE_FALSE(trial.finished());
  const double high = trial.decision().high;
  trial.drop(0, 0, 7);
  CHECK(trial.decision().blocks == 7);
  CHECK(trial.decision().high != high);
  CHECK(trial.open());
  trial.drop(1, 0, 7);
  // Nothing is left: everything is possible.
  CHECK(trial.decision().blocks == 0);
  CHECK(trial.decision().low == 0);
  CHECK(trial.decision().high == 1e6);
  while (trial.open()) {
    trial.start_round();
    while (const auto wanted = trial.wanted()) trial.add(blocks_of(random, wanted, 1, 0.001));
    trial.conclude_round();
  }
  CHECK(trial.finished());
  CHECK(trial.rounds() == 4);
}

TEST_CASE("in a suite of ten thousand cases, even ones all pass and slow ones are all found") {
  stats::TrialOptions options;
  options.decision.cases = 10000;
  int blocked = 0, undecided = 0, missed = 0;
  std::int64_t blocks = 0;
  for (std::uint64_t seed = 0; seed < 10000; ++seed) {
    // One in a hundred is slower by 4 %.
    const bool slow = seed % 100 == 7;
    const auto trial = run([&](std::int64_t) { return slow ? 1.04 : 1.0; }, 0.004, seed, options);
    blocks += trial.blocks();
    const auto finding = trial.decision().finding;
    undecided += trial.finished() ? 0 : 1;
    blocked += !slow && finding == Finding::slower ? 1 : 0;
    missed += slow && finding != Finding::slower ? 1 : 0;
  }
  CHECK(blocked == 0);
  CHECK(undecided == 0);
  CHECK(missed == 0);
  // So many cases cost each of them a few blocks more.
  CHECK(blocks < 10000 * 60);
}
