#include "gate/stats/absolute.h"

#include <cmath>
#include <random>

#include "gate/stats/weighted_ratio.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

// Two processes of thirty samples around `us`; each process is off by its own amount.
std::vector<std::vector<double>> processes(std::mt19937_64& random, double us, double between, double within) {
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> all;
  for (int process = 0; process < 2; ++process) {
    const double level = std::log(us) + between * normal(random);
    auto& samples = all.emplace_back();
    for (int i = 0; i < 30; ++i) samples.push_back(std::exp(level + within * normal(random)));
  }
  return all;
}

}  // namespace

TEST_CASE("the interval of two days holds the true ratio as often as it says") {
  std::mt19937_64 random(11);
  int held = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto found =
        stats::absolute_ratio(processes(random, 10, 0.004, 0.01), processes(random, 10.3, 0.004, 0.01), {});
    held += found.low <= 1.03 && 1.03 <= found.high ? 1 : 0;
  }
  CHECK(held >= 0.985 * kTrials);  // 99 %, and the samples' own error is a little wide
  CHECK(held < kTrials);
}

TEST_CASE("two days that agree to the digit are still known to about a percent only") {
  const std::vector<std::vector<double>> same{std::vector<double>(30, 10.0), std::vector<double>(30, 10.0)};
  const auto found = stats::absolute_ratio(same, same, {});
  CHECK(found.ratio == 1);
  CHECK(found.high - 1 == Approx(0.0104).epsilon(0.02));
}

TEST_CASE("of a day without samples nothing is known") {
  const std::vector<std::vector<double>> some{{10, 10, 10}}, none;
  CHECK(std::isinf(stats::absolute_ratio(none, some, {}).high));
  CHECK(std::isinf(stats::absolute_ratio(some, {{}}, {}).high));
}

TEST_CASE("a weighted ratio goes by weight, and leaves out what tells nothing") {
  stats::WeightedRatio all;
  CHECK(all.empty());
  CHECK(std::isinf(all.mean().high));
  all.add({1.2, 1.1, 1.3}, 0);
  all.add({1.5, 0, 2}, 1);
  all.add({1.5, 1, std::numeric_limits<double>::infinity()}, 1);
  CHECK(all.empty());
  all.add({1.21, 1.20, 1.22}, 3);
  all.add({1, 1, 1}, 1);
  CHECK(all.mean().ratio == Approx(std::pow(1.21, 0.75)));
  CHECK(all.mean().low > 1.14);
  CHECK(all.mean().high < 1.17);
}
