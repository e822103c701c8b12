#include "gate/report/page/sample_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/page/sample_series.h"

namespace kgate::report {
namespace {

// Pixels down; across units of an inner drawing that is as wide as the screen lets it be.
constexpr double kUnits = 1000;
constexpr double kTimes = 170, kRatios = 110;
constexpr double kTicks = 4;
constexpr int kBins = 32;
constexpr std::size_t kMostRounds = 24;  // that are set apart
// Beyond these shares of all values a point is drawn at the edge.
constexpr double kLowest = 0.01, kHighest = 0.99;

double nice_step(double range) {
  const double raw = range / kTicks, power = std::pow(10, std::floor(std::log10(raw)));
  return power * (raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10);
}

struct Scale {
  double low = 0, high = 1, height = kTimes;
  double y(double value) const { return height * (high - std::clamp(value, low, high)) / (high - low); }
};

// So that both versions are seen, and no single sample flattens them.
Scale scale_for(const std::vector<const SampleSeries*>& all, double height, double least) {
  Scale scale{HUGE_VAL, -HUGE_VAL, height};
  for (const SampleSeries* one : all) {
    scale.low = std::min(scale.low, quantile_of(one->sorted, kLowest));
    scale.high = std::max(scale.high, quantile_of(one->sorted, kHighest));
  }
  const double middle = (scale.low + scale.high) / 2;
  const double half = std::max(0.58 * (scale.high - scale.low), least * middle);
  scale.low = middle - half;
  scale.high = middle + half;
  return scale;
}

std::size_t beyond(const std::vector<const SampleSeries*>& all, const Scale& scale) {
  std::size_t number = 0;
  for (const SampleSeries* one : all) {
    number += static_cast<std::size_t>(std::count_if(
        one->values.begin(), one->values.end(), [&](double value) { return value < scale.low || value > scale.high; }));
  }
  return number;
}

// A tick's number with the decimals that its step needs.
std::string tick_text(double value, double step) {
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return decimals > 6 ? fmt::format("{:.4g}", value) : fmt::format("{:.{}f}", value, decimals);
}

// Grid lines with their numbers at the left.
std::string grid(const Scale& scale, bool percent) {
  const double unit = percent ? 100 : 1, from = (scale.low - (percent ? 1 : 0)) * unit,
               to = (scale.high - (percent ? 1 : 0)) * unit;
  const double step = nice_step(to - from);
  std::string text;
  for (double tick = std::ceil(from / step) * step; tick <= to; tick += step) {
    const bool zero = std::abs(tick) < step / 2;
    const double at = scale.y(tick / unit + (percent ? 1 : 0));
    text += fmt::format(
        "<line class=\"{}\" x2=\"100%\" y1=\"{:.1f}\" y2=\"{:.1f}\"/><text class=\"left\" x=\"-6\" y=\"{:.1f}\">{}{}"
        "</text>",
        percent && zero ? "zero" : "grid", at, at, at + 4, percent && tick > 0 && !zero ? "+" : "",
        percent ? (zero ? "0 %" : tick_text(tick, step) + " %") : tick_text(tick, step));
  }
  return text;
}

std::string inner(double height, const std::string& body) {
  return fmt::format(
      "<svg width=\"100%\" height=\"{0:.0f}\" viewBox=\"0 0 {1:.0f} {0:.0f}\" preserveAspectRatio=\"none\">{2}</svg>",
      height, kUnits, body);
}

std::string frame(const char* kind, double height, const std::string& title, const std::string& body) {
  return fmt::format(
      "<div class=\"{}\"><svg class=\"frame\" width=\"100%\" height=\"{:.0f}\" role=\"img\"><title>{}</title><rect "
      "class=\"ground\" width=\"100%\" height=\"100%\"/>{}</svg></div>\n",
      kind, height, escaped(title), body);
}

class Figure {
 public:
  Figure(SampleSet set, const std::optional<Measured>& time) : set_(std::move(set)), time_(time) {
    blocks_ = static_cast<double>(set_.round_ends.back());
  }

  std::string write() const {
    std::vector<const SampleSeries*> all;
    for (const SampleSeries& one : set_.arms) all.push_back(&one);
    const Scale times = scale_for(all, kTimes, 0.002);
    std::string text = "<figure class=\"samples\">\n" + legend() + pair(all, times, false, title());
    std::size_t outside = beyond(all, times);
    if (!set_.ratio.values.empty()) {
      const Scale ratios = ratio_scale();
      text += fmt::format("<p class=\"dim label\">{} over {}, block by block, as a change</p>\n",
                          escaped(set_.arms.front().arm, 40), escaped(set_.ratio.arm, 60)) +
              pair({&set_.ratio}, ratios, true, ratio_title());
      outside += beyond({&set_.ratio}, ratios);
    }
    return text + caption(outside) + "</figure>\n";
  }

 private:
  // As wide as the values ask for, and no change and the zone are on it where they are near.
  Scale ratio_scale() const {
    Scale scale = scale_for({&set_.ratio}, kRatios, 0.002);
    const double more = scale.high - scale.low;
    const auto hold = [&](double ratio) {
      if (ratio < scale.low && scale.low - ratio < more) scale.low = ratio - 0.05 * more;
      if (ratio > scale.high && ratio - scale.high < more) scale.high = ratio + 0.05 * more;
    };
    hold(1);
    if (time_ && time_->zone) hold(1 + time_->zone->block);
    return scale;
  }

  double x(double place) const { return kUnits * (place + 0.5) / blocks_; }

  // Along the blocks at the left, how many of which size at the right.
  std::string pair(const std::vector<const SampleSeries*>& all, const Scale& scale, bool percent,
                   const std::string& title) const {
    std::string left, shapes;
    if (percent && time_ && time_->zone) left += zone(scale);
    left += grid(scale, percent);
    for (std::size_t i = 0; i + 1 < set_.round_ends.size() && set_.round_ends.size() <= kMostRounds; ++i) {
      left += fmt::format("<line class=\"round\" x1=\"{0:.2f}%\" x2=\"{0:.2f}%\" y2=\"100%\"/>",
                          100 * static_cast<double>(set_.round_ends[i]) / blocks_);
    }
    for (std::size_t i = all.size(); i-- > 0;) {
      std::string path;
      for (std::size_t k = 0; k < all[i]->values.size(); ++k)
        path += fmt::format("M{:.0f} {:.0f}{}", x(all[i]->places[k]), scale.y(all[i]->values[k]), i < 2 ? "h0" : "v4");
      left += inner(scale.height, fmt::format("<path class=\"point {}\" d=\"{}\"/>", kind(i, percent), path));
      shapes += distribution(*all[i], scale, kind(i, percent));
    }
    return "<div class=\"pair\">\n" + frame("along", scale.height, title, left) +
           frame("spread", scale.height, title + ", as distributions", inner(scale.height, shapes)) + "</div>\n";
  }

  static std::string kind(std::size_t arm, bool ratio) { return ratio ? "a0" : fmt::format("a{}", arm); }

  std::string zone(const Scale& scale) const {
    const double tolerate = scale.y(1 + time_->zone->tolerate), block = scale.y(1 + time_->zone->block);
    return fmt::format(
        "<rect class=\"zone\" width=\"100%\" y=\"{:.1f}\" height=\"{:.1f}\"/><rect class=\"over\" width=\"100%\" "
        "height=\"{:.1f}\"/>",
        block, std::max(0.0, tolerate - block), block);
  }

  // An outline whose width is how many have that value; the line across it is the median.
  static std::string distribution(const SampleSeries& one, const Scale& scale, const std::string& kind) {
    std::array<int, kBins> bins{};
    for (const double value : one.sorted) {
      const int bin = static_cast<int>(scale.y(value) / scale.height * kBins);
      ++bins[static_cast<std::size_t>(std::clamp(bin, 0, kBins - 1))];
    }
    const double most = *std::max_element(bins.begin(), bins.end());
    std::string path = "M0 0";
    for (int i = 0; i < kBins; ++i) {
      path += fmt::format("H{:.0f}V{:.1f}", 0.94 * kUnits * bins[static_cast<std::size_t>(i)] / most,
                          scale.height * (i + 1) / kBins);
    }
    const double median = scale.y(quantile_of(one.sorted, 0.5));
    return fmt::format("<path class=\"shape {0}\" d=\"{1}H0\"/><path class=\"median {0}\" d=\"M0 {2:.1f}H{3:.0f}\"/>",
                       kind, path, median, kUnits);
  }

  std::string legend() const {
    std::string text = "<ul class=\"legend\">";
    for (std::size_t i = 0; i < set_.arms.size(); ++i) {
      const SampleSeries& arm = set_.arms[i];
      text += fmt::format(
          "<li><svg class=\"key\" width=\"14\" height=\"12\" aria-hidden=\"true\"><path class=\"point a{}\" d=\"M7 "
          "{}\"/>"
          "</svg>{}: median {} µs</li>",
          i, i < 2 ? "6h0" : "4v4", escaped(arm.arm, 60), microseconds(quantile_of(arm.sorted, 0.5)));
    }
    return text + "</ul>\n";
  }

  std::string title() const {
    std::string text = "times in µs, block by block";
    for (const SampleSeries& arm : set_.arms) {
      text += fmt::format("; {}: median {}, from {} to {}", arm.arm, microseconds(quantile_of(arm.sorted, 0.5)),
                          microseconds(arm.sorted.front()), microseconds(arm.sorted.back()));
    }
    return text;
  }

  std::string ratio_title() const {
    const auto& sorted = set_.ratio.sorted;
    return fmt::format("ratio of each block: median {}, half of them from {} to {}", change(quantile_of(sorted, 0.5)),
                       change(quantile_of(sorted, 0.25)), change(quantile_of(sorted, 0.75)));
  }

  std::string caption(std::size_t outside) const {
    std::string text = fmt::format("µs a launch, {} in {}, in the order in which they were measured",
                                   count(set_.round_ends.back(), "block"), count(set_.round_ends.size(), "round"));
    if (set_.round_ends.size() > 1 && set_.round_ends.size() <= kMostRounds) text += " (dotted lines part the rounds)";
    text += "; at the right how many have which value, and across it the median.";
    if (set_.step > 1) text += fmt::format(" A point is the median of {}.", count(set_.step, "block"));
    if (outside > 0) text += fmt::format(" {} beyond the scale: at its edge.", count(outside, "point"));
    if (set_.ratio.values.size() > 0)
      text += fmt::format(" Block by block: {}.",
                          escaped(ratio_title().substr(std::string("ratio of each block: ").size())));
    return "<figcaption>" + text + "</figcaption>\n";
  }

  SampleSet set_;
  const std::optional<Measured>& time_;
  double blocks_ = 1;
};

}  // namespace

std::string sample_figure(const verdict::CaseSamples& samples, const std::optional<Measured>& time) {
  SampleSet set = sample_set(samples, time ? time->against : std::string());
  if (set.arms.empty()) return {};
  return Figure(std::move(set), time).write();
}

}  // namespace kgate::report
