#include "gate/stats/spread.h"

#include <cmath>

#include "base/philox.h"
#include "gate/stats/regimes.h"
#include "tests/support/catch.h"

using namespace kgate;
using Agreement = stats::Agreement;

namespace {

double normal(RandomStream& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307179586 * random.uniform());
}

// Blocks of a pair of kernels: the reference's length, the candidate's, the spread of both.
stats::PairedTimes times_of(std::uint64_t seed, double reference_us, double candidate_us, double spread, int blocks) {
  RandomStream random(seed, 0);
  stats::PairedTimes times;
  for (int i = 0; i < blocks; ++i) {
    times.reference_us.push_back(reference_us * std::exp(spread * normal(random)));
    times.candidate_us.push_back(candidate_us * std::exp(spread * normal(random)));
  }
  return times;
}

}  // namespace

TEST_CASE("DerSimonian and Laird's estimate is what their formula gives by hand") {
  // Weights 1, 1, 1/4; their sum 2.25, of squares 2.0625; the weighted mean (0 + 3 + 2.5) / 2.25 = 22/9. Q = (22/9)^2 +
  // (5/9)^2 + (68/9)^2 / 4 = 20.555...; tau^2 = (Q - 2) / (2.25 - 2.0625 / 2.25).
  const double spread = stats::between_rounds({{0, 1}, {3, 1}, {10, 2}});
  CHECK(spread * spread == Approx((1665.0 / 81 - 2) / (2.25 - 2.0625 / 2.25)));
}

TEST_CASE("rounds that agree within their errors have no spread between them, and neither has one alone") {
  CHECK(stats::between_rounds({{0.0, 1}, {0.1, 1}, {-0.1, 1}}) == 0);
  CHECK(stats::between_rounds({{5, 1}}) == 0);
  CHECK(stats::between_rounds({}) == 0);
}

TEST_CASE("a machine's spread comes out of many cases with different ratios") {
  RandomStream random(1, 2);
  std::vector<std::vector<stats::RoundEstimate>> cases, quiet;
  for (int one = 0; one < 400; ++one) {
    std::vector<stats::RoundEstimate> rounds, even;
    for (int round = 0; round < 6; ++round) {
      rounds.push_back({one * 0.1 + 0.002 * normal(random) + 0.001 * normal(random), 0.001});
      even.push_back({one * 0.1 + 0.001 * normal(random), 0.001});
    }
    cases.push_back(rounds);
    quiet.push_back(even);
  }
  CHECK(stats::between_rounds_pooled(cases) == Approx(0.002).epsilon(0.1));
  CHECK(stats::between_rounds_pooled(quiet) < 0.0004);
}

TEST_CASE("versions that differ a little between batches and fresh inputs agree") {
  const auto found = stats::compare_regimes(times_of(1, 10, 10, 0.002, 30), times_of(2, 12, 12.18, 0.02, 64), {});
  CHECK(found.finding == Agreement::Finding::agree);
  CHECK(found.difference == Approx(0.015).margin(0.01));
}

TEST_CASE(
    "an honest advantage that a launch's constant cost makes smaller is no cheat, and neither is a proportional one") {
  // 14.6 -> 10.5 us in batches; 3 us more each when launched alone, or a third more each.
  CHECK(stats::compare_regimes(times_of(3, 14.6, 10.5, 0.002, 30), times_of(4, 17.6, 13.5, 0.01, 64), {}).finding ==
        Agreement::Finding::agree);
  CHECK(stats::compare_regimes(times_of(5, 14.6, 10.5, 0.002, 30), times_of(6, 19.4, 14.0, 0.01, 64), {}).finding ==
        Agreement::Finding::agree);
}

TEST_CASE("an advantage that exists only where inputs repeat is found, by either account of the launch's cost") {
  const auto found = stats::compare_regimes(times_of(7, 10, 4, 0.002, 30), times_of(8, 13, 13, 0.02, 32), {});
  CHECK(found.finding == Agreement::Finding::differ);
  CHECK(found.difference > 0.8);
}

TEST_CASE("next to nothing is next to nothing, however many times it is more when a launch stands alone") {
  // 0.5 % of the reference's time in batches, 0.75 % alone: half as much again, a quarter of a percentage point.
  CHECK(stats::compare_regimes(times_of(12, 4000, 20, 0.002, 30), times_of(13, 4000, 30, 0.003, 16), {}).finding ==
        Agreement::Finding::agree);
}

TEST_CASE("a kernel that remembers most of its inputs, and is quick on fresh ones too, is found") {
  // 13 % of the reference's time in batches, 18 % alone, as one was on an H200.
  CHECK(stats::compare_regimes(times_of(14, 100, 13, 0.01, 30), times_of(15, 100, 18, 0.05, 16), {}).finding ==
        Agreement::Finding::differ);
}

TEST_CASE("a slowdown that repeated inputs hide is found") {
  CHECK(stats::compare_regimes(times_of(9, 10, 10, 0.002, 30), times_of(10, 13, 15, 0.01, 64), {}).finding ==
        Agreement::Finding::differ);
}

TEST_CASE("being slower only where inputs repeat is no cheat") {
  CHECK(stats::compare_regimes(times_of(11, 10, 13, 0.002, 30), times_of(12, 12, 12, 0.02, 64), {}).finding ==
        Agreement::Finding::agree);
}

TEST_CASE("too few or too noisy fresh samples leave the regimes' agreement unknown") {
  CHECK(stats::compare_regimes(times_of(13, 10, 10, 0.002, 30), {}, {}).finding == Agreement::Finding::unknown);
  CHECK(stats::compare_regimes(times_of(14, 10, 10, 0.002, 30), times_of(15, 12, 12.6, 0.2, 16), {}).finding ==
        Agreement::Finding::unknown);
}
