#include "gate/report/page/strip.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"

namespace kgate::report {
namespace {

// The axis ends at so many times `block`, on either side.
constexpr double kMostBlocks = 10;
constexpr double kUsualBlock = 0.02;  // of results that do not tell their zone
constexpr double kTicks = 4;
constexpr int kBins = 80;
constexpr double kHeight = 22, kMiddle = 11, kDensityHeight = 44;

// The step of 1, 2 or 5 tenths, ones, tens, ... that gives about so many ticks.
double nice_step(double range) {
  const double raw = range / kTicks, power = std::pow(10, std::floor(std::log10(raw)));
  return power * (raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10);
}

std::string rectangle(const char* kind, double from, double to) {
  if (!(to > from)) return {};
  return fmt::format("<rect class=\"{}\" x=\"{:.2f}%\" width=\"{:.2f}%\" height=\"100%\"/>", kind, from, to - from);
}

std::string line(const char* kind, double from, double to, double y) {
  return fmt::format("<line class=\"{}\" x1=\"{:.2f}%\" x2=\"{:.2f}%\" y1=\"{}\" y2=\"{}\"/>", kind, from, to, y, y);
}

std::string no_change(const Axis& axis) {
  return fmt::format("<line class=\"zero\" x1=\"{0:.2f}%\" x2=\"{0:.2f}%\" y2=\"100%\"/>", axis.place(1));
}

}  // namespace

Axis::Axis(const std::vector<Interval>& shown, std::optional<verdict::Zone> widest) {
  const double block = std::clamp(widest ? widest->block : kUsualBlock, 1e-4, 1.0);
  low_ = 1 - block;
  high_ = 1 + 1.5 * block;
  for (const Interval& one : shown) {
    low_ = std::min(low_, std::max(one.low, 1 - kMostBlocks * block));
    high_ = std::max(high_, std::min(one.high, 1 + kMostBlocks * block));
  }
  const double margin = 0.03 * (high_ - low_);
  low_ -= margin;
  high_ += margin;
}

double Axis::place(double ratio) const {
  return 100 * (std::clamp(ratio, low_, high_) - low_) / (high_ - low_);
}

std::string Axis::ticks() const {
  std::string body;
  const double step = nice_step((high_ - low_) * 100);
  for (double tick = std::ceil((low_ - 1) * 100 / step) * step; tick <= (high_ - 1) * 100; tick += step) {
    const bool zero = std::abs(tick) < step / 2;
    const double at = place(1 + tick / 100);
    // A number at the very edge would stand in the next column.
    if (at < 4 || at > 96) continue;
    body += fmt::format("<text class=\"middle\" x=\"{:.2f}%\" y=\"14\">{}</text>", at,
                        zero ? "0" : fmt::format("{}{} %", tick > 0 ? "+" : "", value(tick)));
  }
  return fmt::format("<svg class=\"strip\" width=\"100%\" height=\"18\" aria-hidden=\"true\">{}</svg>", body);
}

std::string strip_of(const Strip& strip, const Axis& axis) {
  std::string body;
  if (strip.zone) {
    const double tolerate = axis.place(1 + strip.zone->tolerate), block = axis.place(1 + strip.zone->block);
    body += rectangle("zone", tolerate, block) + rectangle("over", block, 100);
  }
  body += no_change(axis);
  const Interval& time = strip.time;
  const double at = axis.place(time.ratio);
  const char* const tone = strip.tone.c_str();
  if (strip.bar)
    body += rectangle(fmt::format("bar {}", tone).c_str(), std::min(at, axis.place(1)), std::max(at, axis.place(1)));
  const bool left = time.high<axis.low(), right = time.low> axis.high();
  if (!left && !right)
    body += line(fmt::format("interval {}", tone).c_str(), axis.place(time.low), axis.place(time.high), kMiddle);
  const bool inside = axis.holds(time.ratio);
  body += fmt::format("<use class=\"mark {}\" href=\"#{}\" x=\"{:.2f}%\" y=\"{}\"/>", tone,
                      inside                    ? strip.sign
                      : time.ratio < axis.low() ? "beyond-left"
                                                : "beyond-right",
                      at, kMiddle);
  return fmt::format("<svg class=\"strip\" width=\"100%\" height=\"{}\" role=\"img\"><title>{}</title>{}</svg>",
                     kHeight, escaped(strip.title), body);
}

std::string density_of(const std::vector<double>& ratios, const Axis& axis, const std::string& title) {
  std::vector<int> bins(kBins, 0);
  for (const double ratio : ratios) {
    const int bin = static_cast<int>(axis.place(ratio) / 100 * kBins);
    ++bins[static_cast<std::size_t>(std::clamp(bin, 0, kBins - 1))];
  }
  const double most = std::max(1, *std::max_element(bins.begin(), bins.end()));
  std::string path;
  for (int i = 0; i < kBins; ++i) {
    const double height = 100 * bins[static_cast<std::size_t>(i)] / most;
    // One among a thousand is seen too.
    if (height > 0) path += fmt::format("M{} 100v-{:.1f}h1v{:.1f}z", i, std::max(3.0, height), std::max(3.0, height));
  }
  return fmt::format(
      "<svg class=\"strip\" width=\"100%\" height=\"{}\" role=\"img\"><title>{}</title>{}<svg width=\"100%\" "
      "height=\"100%\" viewBox=\"0 0 {} 100\" preserveAspectRatio=\"none\"><path class=\"density\" "
      "d=\"{}\"/></svg></svg>",
      kDensityHeight, escaped(title), no_change(axis), kBins, path);
}

}  // namespace kgate::report
