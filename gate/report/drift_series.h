#pragma once

#include <cstdint>
#include <vector>

#include "gate/drift/drift.h"

// A series as it is drawn: shares of its level at acceptance, so that cases of any length have one axis.
namespace kgate::report {

// What all plots of a report have in common along the days.
struct DayGrid {
  std::int64_t first = 0, last = 0;
  std::int64_t bin = 1;  // days that one drawn point is the median of
};
// From the first night to the last, in at most 600 points.
DayGrid day_grid(const std::vector<drift::Night>& nights);

struct DrawnPoint {
  double day = 0, share = 1;
};

// Between two changes, and without a long gap.
struct DrawnLevel {
  double from = 0, to = 0, share = 1;
};

struct DrawnSeries {
  double base_us = 0;                         // what a share of 1 is: the level at acceptance
  std::vector<std::vector<DrawnPoint>> runs;  // each without a missing night; not of bad nights
  std::vector<DrawnLevel> levels;
  std::vector<DrawnPoint> bad;  // single nights far from their level; of a bin the farthest
};
// Neither of an empty series.
double base_us(const drift::Series& series);
DrawnSeries drawn(const drift::Series& series, const DayGrid& grid);

// More days than that without a night are a gap that is shown as one.
std::int64_t long_gap(const DayGrid& grid);

}  // namespace kgate::report
