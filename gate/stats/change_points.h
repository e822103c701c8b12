#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kgate::stats {

// One night's figure of one case on one class of machines.
struct Night {
  std::int64_t day = 0;  // any day count
  double log_us = 0;     // ln of microseconds
};

struct ChangeOptions {
  double least_change = 0.01;     // a share, up or down: what changes by less is no change
  double significance = 1e-3;     // p of a change is at most this
  double interval_error = 0.05;   // two-sided, of the ratio's interval
  std::int64_t least_nights = 6;  // on both sides of a change, bad nights not counted
  std::size_t window = 180;       // nights on each side, at most, that tell the ratio
  double least_noise = 0.0006;    // standard deviation of ln us that a night has at least: the machine's round_spread
};

struct ChangePoint {
  std::size_t index = 0;                          // of the first night after it
  std::int64_t last_before = 0, first_after = 0;  // days: the change came after the one and by the other
  double ratio = 1, low = 1, high = 1;            // time after over time before, and its interval
  double p = 1;
  std::int64_t nights_before = 0, nights_after = 0;  // that the ratio is from, bad nights not counted
};

// The nights from which on a case's time is another one, oldest first. Nights may be missing; one bad night, or a few
// that agree (fewer than least_nights), change nothing. Throws Error(internal) where days do not ascend or a time is
// not finite.
//
// Method: Fearnhead and Rigaill 2019 (partition.h) cuts the history into levels; then each cut has to stand a two-sided
// Student's t test between the nights beside it, as in Hunter (Fleming et al. 2023, "Hunter: Using Change Point
// Detection to Hunt for Performance Regressions", ICPE), with the size of the change as a second condition; the least
// significant cut goes first, and what it parted is tested anew. The noise is the pooled spread on both sides, widened
// by sqrt((1 + r) / (1 - r)) where nights are seen to correlate by r. The date is the night within two nights of which
// the change most likely is, given the levels.
//
// p is the t test's, as if the night had not been chosen by what it shows: an order, not a promise. What is promised is
// measured (docs/drift.md). For the same reason a ratio of a change that was barely found is too far from 1.
std::vector<ChangePoint> change_points(std::span<const Night> nights, const ChangeOptions& options = {});

}  // namespace kgate::stats
