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

stats::Evidence evidence_of(std::uint64_t seed, double center, double spread, int blocks) {
  RandomStream random(seed, 0);
  stats::Evidence evidence{{std::vector<double>()}};
  for (int i = 0; i < blocks; ++i) evidence.rounds[0].push_back(center + spread * normal(random));
  return evidence;
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
  const auto found = stats::compare_regimes(evidence_of(1, 0.00, 0.003, 30), evidence_of(2, 0.015, 0.02, 64), {});
  CHECK(found.finding == Agreement::Finding::agree);
  CHECK(found.difference == Approx(0.015).margin(0.01));
}

TEST_CASE("an advantage that exists only where inputs repeat is found") {
  const auto found =
      stats::compare_regimes(evidence_of(3, std::log(0.4), 0.003, 30), evidence_of(4, 0.0, 0.03, 32), {});
  CHECK(found.finding == Agreement::Finding::differ);
  CHECK(found.difference > 0.8);
}

TEST_CASE("being slower only where inputs repeat is no cheat") {
  CHECK(stats::compare_regimes(evidence_of(5, 0.3, 0.003, 30), evidence_of(6, 0.0, 0.03, 64), {}).finding ==
        Agreement::Finding::agree);
}

TEST_CASE("too few or too noisy fresh samples leave the regimes' agreement unknown") {
  CHECK(stats::compare_regimes(evidence_of(7, 0, 0.003, 30), {}, {}).finding == Agreement::Finding::unknown);
  CHECK(stats::compare_regimes(evidence_of(8, 0, 0.003, 30), evidence_of(9, 0.05, 0.2, 16), {}).finding ==
        Agreement::Finding::unknown);
}
