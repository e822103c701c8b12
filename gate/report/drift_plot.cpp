#include "gate/report/drift_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gate/report/date_axis.h"
#include "gate/report/format.h"
#include "gate/report/html.h"

namespace kgate::report {
namespace {

// Pixels, but for what is along the days: percent of the width, and in the inner drawing as many units.
constexpr double kHeight = 200, kBelow = 34, kRow = 15, kAxisMark = 6;
constexpr double kUnits = 3000, kFine = 10;  // across; to the pixel, down
// A label that fits a screen as wide as ours is this share of it; of fewer columns the number alone is shown.
constexpr double kLabel = 21, kNumber = 3;
constexpr std::size_t kMostRows = 4;
constexpr double kTicks = 5;

struct Shape {
  const char* id;
  const char* path;
};
constexpr std::array<Shape, kCasesAPlot> kShapes{{{"m0", "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z"},
                                                  {"m1", "M-3.6-3.6h7.2v7.2h-7.2z"},
                                                  {"m2", "M0-5L4.6 3.4h-9.2z"},
                                                  {"m3", "M0-5L4.4 0L0 5L-4.4 0z"},
                                                  {"m4", "M0 5L4.6-3.4h-9.2z"},
                                                  {"m5", "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z"}}};
constexpr std::array<Shape, 5> kMarks{{{"bad", "M-3.5-3.5L3.5 3.5M3.5-3.5L-3.5 3.5"},
                                       {"above", "M0-4.5v9M-3.5-1L0-4.5L3.5-1"},
                                       {"below", "M0 4.5v-9M-3.5 1L0 4.5L3.5 1"},
                                       {"machine", "M0 0L4.5 8h-9z"},
                                       {"version", "M0 0v10M0 0h6l-2 2.5l2 2.5h-6"}}};

// The step of 1, 2 or 5 tenths, ones, tens, ... that gives about so many ticks.
double nice_step(double range) {
  const double raw = range / kTicks, power = std::pow(10, std::floor(std::log10(raw)));
  return power * (raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10);
}

class Plot {
 public:
  Plot(std::span<const drift::Series> cases, const DayGrid& grid) : grid_(grid) {
    for (const auto& one : cases) {
      if (!one.points.empty()) drawn_.push_back(drawn(one, grid));
      if (!one.points.empty()) numbers_.push_back(static_cast<std::size_t>(&one - cases.data()));
    }
    range();
  }

  std::string write(const std::string& title, const std::vector<PlotChange>& changes,
                    const std::vector<PlotMark>& marks) {
    const auto labels = labels_of(changes);
    std::size_t rows = 0;
    for (const Label& one : labels) rows = std::max(rows, one.row + 1);
    top_ = kRow * static_cast<double>(rows) + 6;
    shares();
    gaps();
    days();
    for (std::size_t i = 0; i < changes.size(); ++i) change_line(changes[i], labels[i]);
    for (std::size_t i = 0; i < changes.size(); ++i) change_words(changes[i], labels[i]);
    nights();
    shapes();
    for (const PlotMark& one : marks) mark(one);
    return fmt::format("<svg class=\"frame\" height=\"{:.0f}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
                       top_ + kHeight + kBelow, escaped(title), body_);
  }

 private:
  // What is drawn without bad nights, and a little more; at least one percent.
  void range() {
    low_ = high_ = 1;
    for (const DrawnSeries& one : drawn_) {
      for (const auto& run : one.runs) {
        for (const DrawnPoint& point : run) {
          low_ = std::min(low_, point.share);
          high_ = std::max(high_, point.share);
        }
      }
    }
    const double more = std::max(0.01, 0.08 * (high_ - low_));
    low_ -= more;
    high_ += more;
  }

  double x(double day) const {
    return 100 * (day - static_cast<double>(grid_.first) + 0.5) / static_cast<double>(grid_.last - grid_.first + 1);
  }
  // From the top of the drawing.
  double height(double share) const { return kHeight * (high_ - std::clamp(share, low_, high_)) / (high_ - low_); }
  double y(double share) const { return top_ + height(share); }

  void shares() {
    body_ += fmt::format("<rect class=\"ground\" y=\"{:.0f}\" width=\"100%\" height=\"{:.0f}\"/>\n", top_, kHeight);
    const double step = nice_step((high_ - low_) * 100);
    for (double tick = std::ceil((low_ - 1) * 100 / step) * step; tick <= (high_ - 1) * 100; tick += step) {
      const bool zero = std::abs(tick) < step / 2;
      const double at = y(1 + (zero ? 0 : tick) / 100);
      const std::string words = zero ? "0 %" : fmt::format("{}{} %", tick > 0 ? "+" : "", value(tick));
      body_ += fmt::format(
          "<line class=\"{}\" x2=\"100%\" y1=\"{:.1f}\" y2=\"{:.1f}\"/><text class=\"left\" x=\"-6\" "
          "y=\"{:.1f}\">{}</text>\n",
          zero ? "zero" : "grid", at, at, at + 4, words);
    }
  }

  // Days that no case has a figure of.
  void gaps() {
    std::vector<double> edges;
    for (const DrawnSeries& one : drawn_) {
      for (const DrawnLevel& level : one.levels) edges.push_back(level.from);
    }
    std::sort(edges.begin(), edges.end());
    for (const double from : edges) {
      double before = -1;
      bool covered = false;
      for (const DrawnSeries& one : drawn_) {
        for (const DrawnLevel& level : one.levels) {
          if (level.from < from) before = std::max(before, level.to);
          covered = covered || (level.from < from && level.to >= from);
        }
      }
      if (before < 0 || covered || from - before <= static_cast<double>(long_gap(grid_)) || from == shaded_) continue;
      shaded_ = from;
      const double left = x(before + 0.5), right = x(from - 0.5);
      body_ += fmt::format(
          "<rect class=\"gap\" x=\"{:.2f}%\" y=\"{:.0f}\" width=\"{:.2f}%\" height=\"{:.0f}\"><title>no nights</title>"
          "</rect>\n",
          left, top_, right - left, kHeight);
    }
  }

  void days() {
    const double bottom = top_ + kHeight;
    for (const DateTick& tick : date_ticks(grid_.first, grid_.last)) {
      const double at = x(static_cast<double>(tick.day));
      body_ += fmt::format(
          "<line class=\"tick\" x1=\"{0:.2f}%\" x2=\"{0:.2f}%\" y1=\"{1:.0f}\" y2=\"{2:.0f}\"/><text class=\"middle\" "
          "x=\"{0:.2f}%\" y=\"{3:.0f}\">{4}</text>\n",
          at, bottom, bottom + 4, bottom + 28, tick.words);
    }
  }

  struct Label {
    std::size_t row = 0;
    bool is_left = false;  // of its line
    bool is_short = false;
  };

  // In rows, so that none is over another; without words where the rows are full.
  std::vector<Label> labels_of(const std::vector<PlotChange>& changes) const {
    std::vector<Label> labels;
    std::vector<double> ends;
    for (const PlotChange& one : changes) {
      Label label;
      const double at = change_x(one);
      label.is_left = at > 100 - kLabel;
      const double from = label.is_left ? at - kLabel : at;
      while (label.row < ends.size() && ends[label.row] > from) ++label.row;
      if (label.row == kMostRows) {
        label.row = static_cast<std::size_t>(std::min_element(ends.begin(), ends.end()) - ends.begin());
        label.is_left = false;
        label.is_short = true;
      } else if (label.row == ends.size()) {
        ends.push_back(0);
      }
      ends[label.row] = std::max(ends[label.row], label.is_short ? at + kNumber : from + kLabel);
      labels.push_back(label);
    }
    return labels;
  }
  double change_x(const PlotChange& one) const { return x(static_cast<double>(one.day) - 0.5); }

  void change_line(const PlotChange& one, const Label& label) {
    const double at = change_x(one), from = x(static_cast<double>(one.last_before) + 0.5);
    if (at - from > 0.4) {
      body_ += fmt::format("<rect class=\"when\" x=\"{:.2f}%\" y=\"{:.0f}\" width=\"{:.2f}%\" height=\"{:.0f}\"/>\n",
                           from, top_, at - from, kHeight);
    }
    body_ += fmt::format("<line class=\"change\" x1=\"{0:.2f}%\" x2=\"{0:.2f}%\" y1=\"{1:.0f}\" y2=\"{2:.0f}\"/>\n", at,
                         baseline_of(label) - 9, top_ + kHeight);
  }

  static double baseline_of(const Label& label) { return 11 + kRow * static_cast<double>(label.row); }

  // After all lines, which it may stand on.
  void change_words(const PlotChange& one, const Label& label) {
    std::string words = std::to_string(one.number);
    if (!label.is_short && label.is_left) words = fmt::format("<tspan class=\"wide\">{} </tspan>", one.words) + words;
    if (!label.is_short && !label.is_left) words += fmt::format("<tspan class=\"wide\"> {}</tspan>", one.words);
    body_ +=
        fmt::format("<text class=\"{}\" x=\"{:.2f}%\" dx=\"{}\" y=\"{:.0f}\">{}</text>\n",
                    label.is_left ? "left" : "right", change_x(one), label.is_left ? -4 : 4, baseline_of(label), words);
  }

  // Stretched to the width; the lines keep theirs.
  void nights() {
    body_ += fmt::format(
        "<svg y=\"{:.0f}\" width=\"100%\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} {:.0f}\" "
        "preserveAspectRatio=\"none\">\n",
        top_, kHeight, kUnits, kHeight * kFine);
    for (std::size_t i = 0; i < drawn_.size(); ++i) {
      std::string path;
      for (const auto& run : drawn_[i].runs) path += line_of(run);
      body_ += fmt::format("<path class=\"night c{}\" d=\"{}\"/>\n", numbers_[i], path);
    }
    for (std::size_t i = 0; i < drawn_.size(); ++i) {
      std::string path;
      for (const DrawnLevel& one : drawn_[i].levels) path += line_of({{one.from, one.share}, {one.to, one.share}});
      body_ += fmt::format("<path class=\"level c{}\" d=\"{}\"/>\n", numbers_[i], path);
    }
    body_ += "</svg>\n";
  }

  // Steps in whole units: ten years of five hundred cases have 300,000 of them.
  std::string line_of(const std::vector<DrawnPoint>& points) const {
    std::string path;
    long at_x = 0, at_y = 0;
    for (const DrawnPoint& one : points) {
      const long to_x = std::lround(x(one.day) * kUnits / 100), to_y = std::lround(height(one.share) * kFine);
      const long step_y = to_y - at_y;
      path += path.empty() ? fmt::format("M{} {}", to_x, to_y)
                           : fmt::format("l{}{}{}", to_x - at_x, step_y < 0 ? "" : " ", step_y);
      at_x = to_x;
      at_y = to_y;
    }
    if (points.size() == 1) path += "h0";  // a dot
    return path;
  }

  // A case's shape on its level lines, each case at other nights.
  void shapes() {
    const double span = static_cast<double>(grid_.last - grid_.first + 1), every = span / 4;
    for (std::size_t i = 0; i < drawn_.size(); ++i) {
      const double offset = (static_cast<double>(i) + 0.5) / static_cast<double>(drawn_.size());
      for (const DrawnLevel& one : drawn_[i].levels) {
        for (double day = one.from + std::min(every, one.to - one.from) * offset; day <= one.to; day += every)
          use("m" + std::to_string(numbers_[i]), fmt::format("shape f{}", numbers_[i]), day, y(one.share));
      }
    }
    for (std::size_t i = 0; i < drawn_.size(); ++i) {
      for (const DrawnPoint& one : drawn_[i].bad) {
        const bool above = one.share > high_, below = one.share < low_;
        const double inside = 6 + 9 * static_cast<double>(i);  // a night is bad for all cases at once
        const double at = above ? top_ + inside : below ? top_ + kHeight - inside : y(one.share);
        use(above   ? "above"
            : below ? "below"
                    : "bad",
            fmt::format("mark c{}", numbers_[i]), one.day, at,
            grid_.bin > 1
                ? ""  // they would be half of ten years' page
                : fmt::format("{}: {}", drift::day_text(static_cast<std::int64_t>(one.day)), change(one.share)));
      }
    }
  }

  void mark(const PlotMark& one) {
    if (one.day < grid_.first || one.day > grid_.last) return;
    const std::string kind = one.version ? "version" : "machine";
    use(kind, kind, static_cast<double>(one.day), top_ + kHeight + kAxisMark,
        drift::day_text(one.day) + ": " + one.words);
  }

  void use(const std::string& id, const std::string& kind, double day, double at, const std::string& words = {}) {
    const std::string place = fmt::format("x=\"{:.2f}%\" y=\"{:.1f}\"", x(day), at);
    body_ += words.empty() ? fmt::format("<use class=\"{}\" href=\"#{}\" {}/>\n", kind, id, place)
                           : fmt::format("<use class=\"{}\" href=\"#{}\" {}><title>{}</title></use>\n", kind, id, place,
                                         escaped(words));
  }

  const DayGrid& grid_;
  std::vector<DrawnSeries> drawn_;
  std::vector<std::size_t> numbers_;  // of the cases
  double low_ = 1, high_ = 1, top_ = 0, shaded_ = 0;
  std::string body_;
};

std::string symbol(const Shape& shape) {
  return fmt::format("<path id=\"{}\" d=\"{}\"/>", shape.id, shape.path);
}

}  // namespace

std::string plot_of(const std::string& title, std::span<const drift::Series> cases, const DayGrid& grid,
                    const std::vector<PlotChange>& changes, const std::vector<PlotMark>& marks) {
  return Plot(cases, grid).write(title, changes, marks);
}

std::string plot_shapes() {
  std::string text = "<svg width=\"0\" height=\"0\" aria-hidden=\"true\" class=\"shapes\"><defs>";
  for (const Shape& one : kShapes) text += symbol(one);
  for (const Shape& one : kMarks) text += symbol(one);
  return text + "</defs></svg>\n";
}

std::string plot_key(std::size_t number) {
  return fmt::format(
      "<svg class=\"key\" width=\"22\" height=\"12\" aria-hidden=\"true\"><path class=\"level c{0}\" d=\"M0 "
      "6h22\"/><use class=\"shape f{0}\" href=\"#m{0}\" x=\"11\" y=\"6\"/></svg>",
      number);
}

std::string plot_key(const std::string& kind) {
  const bool hangs = kind == "machine" || kind == "version";
  return fmt::format(
      "<svg class=\"key\" width=\"14\" height=\"12\" aria-hidden=\"true\"><use class=\"{}\" href=\"#{}\" x=\"7\" "
      "y=\"{}\"/></svg>",
      hangs ? kind : "mark any", kind, hangs ? 1 : 6);
}

}  // namespace kgate::report
