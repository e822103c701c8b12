#include "gate/report/drift_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gate/stats/level.h"
#include "gate/stats/robust.h"

// Problem: ten years of five hundred cases in one file that a phone can open. Choice: as many points as a screen has
// columns, each the median of its days; levels and bad nights from all nights, as the analysis sees them. Rejected: one
// point a night and a script that zooms (a report that is mailed or printed has to be read without one).
namespace kgate::report {
namespace {

using drift::Point;

constexpr std::int64_t kMostPoints = 600, kWeek = 7;
constexpr std::size_t kStretch = 20;       // nights that a level at acceptance is told from, as the analysis does
constexpr std::size_t kLeastNights = 6;    // of which one can be called bad
constexpr double kFar = 4, kLeast = 0.01;  // noises, and a share: both

// One normal noise's, from the differences of neighbours: a level that creeps does not count.
double noise_of(const std::vector<double>& logs) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < logs.size(); ++i) steps.push_back(std::abs(logs[i] - logs[i - 1]));
  return steps.empty() ? 0 : 1.4826 * stats::quantile(steps, 0.5) / std::sqrt(2.0);
}

class Drawer {
 public:
  Drawer(const drift::Series& series, const DayGrid& grid) : points_(series.points), grid_(grid) {
    drawn_.base_us = base_us(series);
    std::size_t begin = 0;
    for (const auto& change : series.changes) {
      stretch(begin, change.point);
      begin = change.point;
    }
    stretch(begin, points_.size());
  }

  DrawnSeries take() { return std::move(drawn_); }

 private:
  struct Bin {
    std::int64_t number = 0;
    std::vector<double> logs;
    double days = 0;
    DrawnPoint worst;
    double farthest = 0;
  };

  // Between two changes.
  void stretch(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    std::vector<double> logs;
    for (std::size_t i = begin; i < end; ++i) logs.push_back(std::log(points_[i].us / drawn_.base_us));
    const double bound =
        logs.size() < kLeastNights ? std::numeric_limits<double>::infinity() : std::max(kLeast, kFar * noise_of(logs));
    const double level = stats::level_of(logs, bound).center;
    Bin bin;
    double from = static_cast<double>(points_[begin].day);
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t day = points_[i].day, number = (day - grid_.first) / grid_.bin;
      if (i != begin && number != bin.number) flush(bin);
      bin.number = number;
      if (i != begin && day - points_[i - 1].day > long_gap(grid_)) {
        drawn_.levels.push_back({from, static_cast<double>(points_[i - 1].day), std::exp(level)});
        from = static_cast<double>(day);
      }
      const double far = std::abs(logs[i - begin] - level);
      if (far > bound) {
        if (far > bin.farthest) bin.worst = {static_cast<double>(day), std::exp(logs[i - begin])};
        bin.farthest = std::max(far, bin.farthest);
      } else {
        bin.logs.push_back(logs[i - begin]);
        bin.days += static_cast<double>(day);
      }
    }
    flush(bin);
    drawn_.levels.push_back({from, static_cast<double>(points_[end - 1].day), std::exp(level)});
  }

  void flush(Bin& bin) {
    // A night that was bad is no night that is missing.
    if (drawn_.runs.empty() || bin.number > last_ + 1) drawn_.runs.emplace_back();
    last_ = bin.number;
    if (bin.farthest > 0) drawn_.bad.push_back(bin.worst);
    if (!bin.logs.empty()) {
      drawn_.runs.back().push_back(
          {bin.days / static_cast<double>(bin.logs.size()), std::exp(stats::quantile(bin.logs, 0.5))});
    }
    bin = {};
  }

  const std::vector<Point>& points_;
  const DayGrid& grid_;
  DrawnSeries drawn_;
  std::int64_t last_ = 0;
};

}  // namespace

DayGrid day_grid(const std::vector<drift::Night>& nights) {
  DayGrid grid;
  if (nights.empty()) return grid;
  grid.first = grid.last = nights.front().day;
  for (const auto& night : nights) {
    grid.first = std::min(grid.first, night.day);
    grid.last = std::max(grid.last, night.day);
  }
  grid.bin = 1 + (grid.last - grid.first) / kMostPoints;
  return grid;
}

std::int64_t long_gap(const DayGrid& grid) {
  return std::max(kWeek, 2 * grid.bin);
}

double base_us(const drift::Series& series) {
  const auto& points = series.points;
  const auto accepted = std::find_if(series.against.begin(), series.against.end(),
                                     [](const auto& one) { return one.what == "accepted"; });
  std::size_t first = points.size();
  if (accepted != series.against.end()) {
    const auto is_its = [&](const Point& one) { return one.accepted == accepted->sequence; };
    first = static_cast<std::size_t>(std::find_if(points.begin(), points.end(), is_its) - points.begin());
  }
  if (first == points.size()) first = 0;
  std::size_t end = std::min(points.size(), first + kStretch);
  for (const auto& change : series.changes) {
    if (change.point > first) end = std::min(end, change.point);
  }
  std::vector<double> us;
  for (std::size_t i = first; i < end; ++i) us.push_back(points[i].us);
  return stats::quantile(us, 0.5);
}

DrawnSeries drawn(const drift::Series& series, const DayGrid& grid) {
  return Drawer(series, grid).take();
}

}  // namespace kgate::report
