#pragma once

#include <cstdint>
#include <vector>

namespace kgate::stats {

// The agreement of two ways to time the same pair of kernels: batches, in which inputs repeat, and single launches on
// fresh inputs. A launch by itself costs more, in two ways that no test tells apart: a constant (launch and events: the
// ratio shrinks, 14.6 to 10.5 us became -24 % instead of -28 % on an H200), or a share (caches: the ratio stays).
// Honest versions of short kernels agree within 2 percentage points by at least one of the two, most times; what a
// larger difference means is for the caller to say (gate/verdict/timing/track.cpp). A kernel that skips
// work when its inputs repeat differs by as much as it cheats, by both. A difference counts where it is proved in ln
// ratios and is more than the allowance of the reference's time as well: of an honest kernel that takes a two hundredth
// of it, a launch's cost is a large share and no advantage.
struct RegimeOptions {
  double allowance = 0.02;  // of honest kernels, in ln ratios and in ratios
  double error = 1e-3;      // false suspicions, over the whole suite
  std::int64_t cases = 1;
};

struct Agreement {
  enum class Finding { agree, differ, unknown };
  Finding finding = Finding::unknown;
  // How much larger the ln ratio (the ratio, where that is what tells) is with fresh inputs than where they repeat, and
  // half the width of its interval.
  double difference = 0, half = 0;
};

// Microseconds a launch of both kernels, by block.
struct PairedTimes {
  std::vector<double> candidate_us, reference_us;
};

// differ: an advantage exists only where inputs repeat, proved over the allowance by both accounts of the launch's
// cost. agree: proved under three times the allowance by one of them. Neither is unknown. Both means have Yuen's
// errors; the difference's degrees of freedom are Welch and Satterthwaite's. The difference told is the smaller one.
Agreement compare_regimes(const PairedTimes& repeated, const PairedTimes& fresh, const RegimeOptions& options);

// ln ratios of the fresh blocks, with the constant cost of a single launch (by the reference's medians) taken off.
std::vector<double> fresh_ratios(const PairedTimes& repeated, const PairedTimes& fresh);

}  // namespace kgate::stats
