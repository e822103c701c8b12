#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gate/verdict/result/result.h"

namespace kgate::report {

struct Interval {
  double ratio = 1, low = 1, high = 1;
};

// Ratios of times along a line, the same for all rows of a chart. Places are percent of the width: rows are as wide as
// the screen lets them be.
class Axis {
 public:
  // As wide as what is there, but for what is so far out that the zone could no longer be seen; never narrower than
  // the zone.
  Axis(const std::vector<Interval>& shown, std::optional<verdict::Zone> widest);

  double low() const { return low_; }
  double high() const { return high_; }
  bool holds(double ratio) const { return ratio >= low_ && ratio <= high_; }
  double place(double ratio) const;  // of what is out: of the edge
  // Its numbers, as markup.
  std::string ticks() const;

 private:
  double low_ = 1, high_ = 1;
};

struct Strip {
  Interval time;
  std::optional<verdict::Zone> zone;  // shaded: what is neither tolerated nor blocked, and beyond it what is blocked
  std::string tone = "good";          // class and shape of the mark
  std::string sign = "good";
  bool bar = false;   // from no change to the ratio, beneath the interval
  std::string title;  // foreign text
};
// One row: the interval and its mark on the axis; what is beyond the edge is an arrow there.
std::string strip_of(const Strip& strip, const Axis& axis);
// Where many lie: a bar is how many have such a ratio.
std::string density_of(const std::vector<double>& ratios, const Axis& axis, const std::string& title);

}  // namespace kgate::report
