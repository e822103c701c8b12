#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kgate::stats {

// The policy's zone as shares (0.005 is 0.5 %), and its absolute floor in microseconds.
struct Zone {
  double tolerate = 0.005;
  double block = 0.02;
  double absolute_us = 0.02;
};

// The zone as it holds for a kernel of that length. A difference under absolute_us is tolerated and one of twice that
// is not, however short the kernel is: tolerate = max(tolerate, f), block = max(block, 2 f) with f = absolute_us /
// base_us.
Zone zone_for(const Zone& zone, double base_us);

// What has been measured of one case: ln(candidate / base) of every block, a list for each round (a round is a fresh
// process).
struct Evidence {
  std::vector<std::vector<double>> rounds;
};

struct DecisionOptions {
  Zone zone;                // as zone_for gave it
  double error = 1e-3;      // false blocks at `tolerate`, and false passes at `block`, each, over the whole suite
  std::int64_t cases = 1;   // timed cases of the suite: the error is shared out among them (Bonferroni)
  std::int64_t looks = 16;  // how often the evidence may be looked at: the error is shared out among the looks
  double round_spread =
      0.0006;  // standard deviation of ln ratio between fresh processes that no process can see itself
  std::int64_t min_rounds = 2;
};

enum class Finding {
  not_slower,  // proved: slower by less than `block`
  faster,      // proved: faster by more than `tolerate`
  slower,      // proved: slower by more than `tolerate`
  undecided,
};

struct Decision {
  Finding finding = Finding::undecided;
  double ratio = 1, low = 1, high = 1;  // candidate over base; the interval holds at the level of one look
  std::int64_t blocks = 0, rounds = 0;
  // Blocks in all that an answer needs by today's spread, should the ratio stay where it is; 0 where decided.
  std::int64_t blocks_needed = 0;
  std::string why;  // "62 blocks in 2 rounds: +0.03 % [-0.11, +0.17]: under 2 %: pass"
};

// The rule. Estimate: the mean of the rounds' 20 % trimmed means, weighted by blocks, with Yuen's winsorized standard
// error (Yuen 1974, "The two-sample trimmed t for unequal population variances", Biometrika 61), widened for
// first-order correlation between blocks and by round_spread between rounds. Interval: Student's t at error / (cases *
// looks). Then the zone: upper bound under `block` is a pass, lower bound over `tolerate` is a regression, both go by
// the middle, neither is undecided; never decided before min_rounds rounds of at least kMinBlocks blocks each.
constexpr std::int64_t kMinBlocks = 6;
Decision decide(const Evidence& evidence, const DecisionOptions& options);

// True where one round alone, which had no part in the suspicion, shows a slowdown too: its own estimate is over
// `tolerate`.
bool confirms(const std::vector<double>& round, const DecisionOptions& options);

}  // namespace kgate::stats
