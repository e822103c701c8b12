#pragma once

#include <cstdint>
#include <span>

#include "gate/stats/change_points.h"

namespace kgate::stats {

struct CreepOptions {
  double interval_error = 0.05;  // two-sided
  double least_noise = 0.0006;   // as in ChangeOptions
};

struct Creep {
  double ratio = 1, low = 0, high = 0;               // time of the last nights over the release's; high may be infinite
  std::int64_t nights_release = 0, nights_last = 0;  // bad nights not counted
};

// The last nights beside the last release's nights: what a slow creep adds up to, of which no night is a change by
// itself. Levels by level.h, Welch's interval (Welch 1947, "The generalization of Student's problem when several
// different population variances are involved", Biometrika 34). With fewer than two good nights on a side, nothing is
// known: ratio 1, from 0 to infinity. Nights that correlate are not widened for: both sides are too short to show it.
Creep creep(std::span<const Night> release, std::span<const Night> last, const CreepOptions& options = {});

}  // namespace kgate::stats
