#pragma once

#include "gate/stats/decision.h"

namespace kgate::stats {

// The agreement of two ways to time the same pair of kernels: batches, in which inputs repeat, and single launches on
// fresh inputs. Honest versions of short kernels differ by up to 2 percentage points between them (caches and launch
// overhead count differently: measured, docs/measurements.md); a kernel that skips work when its inputs repeat differs
// by as much as it cheats.
struct RegimeOptions {
  double allowance = 0.02;  // of honest kernels, in ln ratio
  double error = 1e-3;      // false suspicions, over the whole suite
  std::int64_t cases = 1;
};

struct Agreement {
  enum class Finding { agree, differ, unknown };
  Finding finding = Finding::unknown;
  // How much larger ln ratio is with fresh inputs than where they repeat, and half the width of its interval.
  double difference = 0, half = 0;
};

// differ: an advantage exists only where inputs repeat, proved over the allowance. agree: proved under three times the
// allowance. Neither is unknown. Both means have Yuen's errors; the difference's degrees of freedom are Welch and
// Satterthwaite's.
Agreement compare_regimes(const Evidence& repeated, const Evidence& fresh, const RegimeOptions& options);

}  // namespace kgate::stats
