#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/search/parts.h"
#include "gate/report/search/text.h"

namespace kgate::report {
namespace {

using search::journal::Row;
using search::journal::Summary;

// Pixels down; across percent of the width, and in the inner drawing as many units.
constexpr double kHeight = 220, kBelow = 46, kUnits = 1000, kTicks = 5;
constexpr std::size_t kMostSteps = 600;  // that are drawn: the last ones

struct Shape {
  const char* outcome;
  const char* path;
};
constexpr std::array<Shape, 5> kShapes{{{"better", "M0-5L4.4 0L0 5L-4.4 0z"},
                                        {"slower", "M-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0-6.8 0z"},
                                        {"suspect", "M0-5L4.6 3.4h-9.2z"},
                                        {"failed", "M-3.5-3.5L3.5 3.5M3.5-3.5L-3.5 3.5"},
                                        {"none", "M-4 0h8"}}};

double nice_step(double range) {
  const double raw = range / kTicks, power = std::pow(10, std::floor(std::log10(raw)));
  return power * (raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10);
}

class Progress {
 public:
  explicit Progress(const Summary& summary) {
    const std::size_t all = summary.rows.size();
    for (std::size_t i = all > kMostSteps ? all - kMostSteps : 0; i < all; ++i) rows_.push_back(&summary.rows[i]);
    left_out_ = all - rows_.size();
    range();
  }

  std::string write() {
    axis();
    best_so_far();
    for (std::size_t i = 0; i < rows_.size(); ++i) point(i);
    return fmt::format(
        "<figure class=\"plot\"><svg class=\"frame\" height=\"{:.0f}\" role=\"img\" aria-label=\"time over the "
        "baseline's, "
        "by proposal\">\n{}</svg>\n<figcaption>{}</figcaption></figure>\n",
        kHeight + kBelow, body_, caption());
  }

 private:
  // What is timed; without what took more than twice as long as the baseline, which is drawn at the edge.
  void range() {
    low_ = high_ = 1;
    for (const Row* row : rows_) {
      if (row->score <= 0) continue;
      low_ = std::min(low_, std::max(row->low, row->score / 2));
      high_ = std::max(high_, std::min({row->high, row->score * 2, 2.0}));
    }
    const double more = std::max(0.01, 0.06 * (high_ - low_));
    low_ -= more;
    high_ += more;
  }

  double x(std::size_t i) const { return 100 * (static_cast<double>(i) + 0.5) / static_cast<double>(rows_.size()); }
  double y(double score) const { return kHeight * (high_ - std::clamp(score, low_, high_)) / (high_ - low_); }

  void axis() {
    body_ += fmt::format("<rect class=\"ground\" width=\"100%\" height=\"{:.0f}\"/>\n", kHeight);
    const double step = nice_step((high_ - low_) * 100);
    for (double tick = std::ceil((low_ - 1) * 100 / step) * step; tick <= (high_ - 1) * 100; tick += step) {
      const bool zero = std::abs(tick) < step / 2;
      const double at = y(1 + (zero ? 0 : tick) / 100);
      body_ += fmt::format(
          "<line class=\"{}\" x2=\"100%\" y1=\"{:.1f}\" y2=\"{:.1f}\"/><text class=\"left\" x=\"-6\" "
          "y=\"{:.1f}\">{}</text>\n",
          zero ? "zero" : "grid", at, at, at + 4,
          zero ? "0 %" : fmt::format("{}{} %", tick > 0 ? "+" : "", value(tick)));
    }
    const std::size_t every = std::max<std::size_t>(1, rows_.size() / 12);
    for (std::size_t i = 0; i < rows_.size(); i += every) {
      body_ += fmt::format("<text class=\"middle\" x=\"{:.2f}%\" y=\"{:.0f}\">{}</text>\n", x(i), kHeight + 38,
                           rows_[i]->number);
    }
  }

  void best_so_far() {
    std::string path;
    double best = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i]->outcome != "better" || rows_[i]->score <= 0) continue;
      const long to_x = std::lround(x(i) * kUnits / 100), to_y = std::lround(y(rows_[i]->score) * 10);
      path += best == 0 ? fmt::format("M{} {}", to_x, to_y) : fmt::format("H{}V{}", to_x, to_y);
      best = rows_[i]->score;
    }
    if (path.empty()) return;
    body_ += fmt::format(
        "<svg width=\"100%\" height=\"{0:.0f}\" viewBox=\"0 0 {1:.0f} {2:.0f}\" preserveAspectRatio=\"none\"><path "
        "class=\"level c0\" d=\"{3}H{1:.0f}\"/></svg>\n",
        kHeight, kUnits, kHeight * 10, path);
  }

  void point(std::size_t i) {
    const Row& row = *rows_[i];
    const bool timed = row.score > 0;
    const double at = timed ? y(row.score) : kHeight + 14;
    seen_.insert(search_shape(row.outcome));
    if (timed && !row.quick) {
      body_ += fmt::format("<line class=\"any\" x1=\"{0:.2f}%\" x2=\"{0:.2f}%\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n",
                           x(i), y(row.low), y(row.high));
    }
    const std::string words =
        row.number == 0 ? "the baseline" : fmt::format("{} {} {}", row.number, row.outcome, search_time(row));
    body_ += fmt::format("<use href=\"#{}\" class=\"{}\" x=\"{:.2f}%\" y=\"{:.1f}\"><title>{}</title></use>\n",
                         "s-" + search_shape(row.outcome), row.outcome == "better" ? "shape f0" : "mark any", x(i), at,
                         escaped(words));
  }

  std::string caption() const {
    std::string text = "Each proposal's time against the baseline's, with its interval; the line is the best so far. ";
    for (const Shape& shape : kShapes) {
      if (seen_.count(shape.outcome) != 0) text += search_key(shape.outcome) + std::string(shape.outcome) + " ";
    }
    if (left_out_ > 0) text += fmt::format("{} earlier ones: summary.json.", left_out_);
    return text;
  }

  std::vector<const Row*> rows_;
  std::set<std::string> seen_;
  std::size_t left_out_ = 0;
  double low_ = 1, high_ = 1;
  std::string body_;
};

}  // namespace

std::string search_shape(const std::string& outcome) {
  if (outcome == "better" || outcome == "slower" || outcome == "suspect") return outcome;
  return outcome == "open" || outcome == "refused" || outcome == "duplicate" || outcome == "none" ? "none" : "failed";
}

std::string search_key(const std::string& outcome) {
  const std::string shape = search_shape(outcome);
  return fmt::format(
      "<svg class=\"key\" width=\"12\" height=\"12\"><use href=\"#s-{}\" class=\"{}\" x=\"6\" y=\"6\"/></svg>", shape,
      shape == "better" ? "shape f0" : "mark any");
}

std::string search_shapes() {
  std::string text = "<svg class=\"shapes\" width=\"0\" height=\"0\"><defs>\n";
  for (const Shape& shape : kShapes) text += fmt::format("<path id=\"s-{}\" d=\"{}\"/>\n", shape.outcome, shape.path);
  return text + "</defs></svg>\n";
}

std::string search_progress(const Summary& summary) {
  return Progress(summary).write();
}

}  // namespace kgate::report
