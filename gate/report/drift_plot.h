#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gate/report/drift_series.h"

namespace kgate::report {

// A night that is marked below the axis of a plot.
struct PlotMark {
  std::int64_t day = 0;
  bool version = false;  // a newly accepted version; else the machine: a driver, a toolkit, ...
  std::string words;
};

// A change of one kernel: a line across its plot.
struct PlotChange {
  std::size_t number = 0;                 // by which the list below the plot names it
  std::int64_t last_before = 0, day = 0;  // it came after the one and by the other
  std::string words;                      // "2026-03-03 +4.2 %"
};

// Cases that one plot holds: as many as can be told apart by colour and shape.
inline constexpr std::size_t kCasesAPlot = 6;

// One SVG: times over nights, as shares of the level at acceptance. Widths are shares of the page, and texts and shapes
// keep their size, so that it is read on a phone as on a desk. It refers to the shapes and classes of plot_shapes() and
// of the page's style.
std::string plot_of(const std::string& title, std::span<const drift::Series> cases, const DayGrid& grid,
                    const std::vector<PlotChange>& changes, const std::vector<PlotMark>& marks);

// The shapes, once a page.
std::string plot_shapes();
// One of them, to stand in a line of text: of the case with that number, "bad", "machine", "version", ...
std::string plot_key(std::size_t number);
std::string plot_key(const std::string& kind);

}  // namespace kgate::report
