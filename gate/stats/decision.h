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
  Zone zone;               // as zone_for gave it
  double error = 1e-3;     // false blocks at `tolerate`, and false passes at `block`, each, over the whole suite
  std::int64_t cases = 1;  // decisions of the suite: the error is shared out among them (Bonferroni)
  // Standard deviation of ln ratio between fresh processes beyond what a process's own samples tell; the machine's
  // constant, from `kgate doctor --noise`.
  double round_spread = 0.0006;
  // ln ratio of one tick of the clock in one sample: what lies below it is not seen where all samples agree.
  double resolution = 0;
  std::int64_t min_rounds = 2;
};

enum class Finding {
  not_slower,  // proved: slower by less than `block`
  faster,      // proved: faster by more than `tolerate`
  slower,      // proved: slower by more than `tolerate`
  undecided,
};

// An upper bound of a ratio of which nothing is known; a number that JSON can hold.
constexpr double kUnknownRatio = 1e6;

struct Decision {
  Finding finding = Finding::undecided;
  double ratio = 1, low = 1, high = 1;  // candidate over base; the interval holds at the level of this look
  std::int64_t blocks = 0, rounds = 0;
  // Blocks in all that an answer needs by today's spread, should the ratio stay where it is; 0 where decided.
  std::int64_t blocks_needed = 0;
  std::string why;  // "62 blocks in 2 rounds: +0.03 % [-0.11, +0.17]: under 2 %: pass"
};

// The part of the error that look number `look` (1, 2, ...) of one case may spend: error / cases / (look (look + 1)).
// Over all looks the parts add up to error / cases, however many there are; half of it belongs to the first, which
// decides most kernels. (A spending function in the sense of Lan and DeMets 1983, "Discrete sequential boundaries for
// clinical trials", Biometrika 70, used with the union bound: nothing is assumed about how looks depend on each other.)
double error_of_look(const DecisionOptions& options, std::int64_t look);

// The rule, at look number `look`. Estimate: the trimmed mean of all blocks with Yuen's standard error (robust.h),
// widened by the spread between rounds (spread.h) and the clock's resolution. Interval: Student's t at error_of_look.
// Then the zone: upper bound under `block` is a pass, lower bound over `tolerate` is a regression, both go by the
// middle, neither is undecided; never decided before min_rounds rounds of at least kMinBlocks blocks each.
constexpr std::int64_t kMinBlocks = 7;
Decision decide(const Evidence& evidence, const DecisionOptions& options, std::int64_t look = 1);

// An interval of the ratio at a level of the caller's (one-sided error on each side), by the same estimate.
struct Interval {
  double ratio = 1, low = 0, high = 0;  // candidate over base; high is infinite where nothing can be said
};
Interval interval(const Evidence& evidence, const DecisionOptions& options, double one_sided_error);

// Half the width (in ln ratio) that an interval at that level would have after so many blocks in so many equal rounds,
// where blocks spread by `block_spread` and do not correlate; what a machine's noise promises before it is measured.
double expected_half_width(double block_spread, std::int64_t blocks, std::int64_t rounds,
                           const DecisionOptions& options, double one_sided_error);

// True where one round alone, which had no part in the suspicion, shows a slowdown too: its own estimate is over
// `tolerate`.
bool confirms(const std::vector<double>& round, const DecisionOptions& options);

}  // namespace kgate::stats
