#include "bench/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bench/svg.h"
#include "gate/stats/decision.h"

namespace kgate::bench {
namespace {

constexpr std::array<const char*, 5> kRules{"kgate", "nvbench legacy", "nvbench robust", "Mann-Whitney 0.05",
                                            "threshold 5 %"};
constexpr const char* kInterleaved = ", interleaved";
// One of each kind; those that were not run are left out.
constexpr std::array<const char*, 8> kModels{
    "normal 1 %", "normal 5 %", "drift",           "clock states",
    "bursts",     "delays",     "idle k_copy_264", "placed row1k x2/x2, 4 KiB grid"};
constexpr double kLeft = 44, kTop = 70, kPanelWidth = 190, kPanelHeight = 110, kColumn = 236, kRow = 176;
constexpr double kSamplesHeight = 150;
constexpr std::size_t kColumns = 4;

const Cell* find(const std::vector<Cell>& cells, const std::string& rule, const std::string& model, double effect) {
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) {
    return cell.rule == rule && cell.model == model && cell.effect == effect;
  });
  return found == cells.end() ? nullptr : &*found;
}

// Square roots: the zone, between 0.5 and 2 %, is what there is to see, and 0 has a place.
double place(double effect, double most) {
  return std::sqrt(effect / most);
}

void panel(Svg& svg, double x, double y, const std::vector<Cell>& cells, const std::string& model, bool interleaved,
           const std::vector<double>& effects) {
  const double most = effects.back();
  const auto right = [&](double effect) { return x + kPanelWidth * place(effect, most); };
  const auto up = [&](double share) { return y + kPanelHeight * (1 - share); };
  const stats::Zone zone;
  svg.text(x, y - 18, model, Svg::Anchor::start, "title");
  svg.text(x, y - 5, interleaved ? "all rules on interleaved blocks" : "others: arms in separate processes",
           Svg::Anchor::start, "small");
  svg.rectangle(right(zone.tolerate), y, right(zone.block) - right(zone.tolerate), kPanelHeight, "zone");
  for (const double share : {0.0, 0.5, 1.0}) {
    svg.line(x, up(share), x + kPanelWidth, up(share), "grid");
    svg.text(x - 4, up(share) + 4, fmt::format("{:.0f}", 100 * share), Svg::Anchor::end, "small");
  }
  for (const double effect : effects) {
    svg.line(right(effect), y + kPanelHeight, right(effect), y + kPanelHeight + 3, "axis");
    svg.text(right(effect), y + kPanelHeight + 14, fmt::format("{:g}", 100 * effect), Svg::Anchor::middle, "small");
  }
  svg.line(x, y + kPanelHeight, x + kPanelWidth, y + kPanelHeight, "axis");
  svg.text(x + kPanelWidth / 2, y + kPanelHeight + 28, "planted slowdown, %", Svg::Anchor::middle, "small");
  // kgate last, on top.
  for (std::size_t i = kRules.size(); i-- > 0;) {
    std::vector<std::pair<double, double>> points;
    for (const double effect : effects) {
      const std::string rule = std::string(kRules[i]) + (interleaved && i > 0 ? kInterleaved : "");
      if (const Cell* cell = find(cells, rule, model, effect))
        points.emplace_back(right(effect), up(cell->tally.share(cell->tally.blocked)));
    }
    svg.path(points, Svg::series(i));
    for (const auto& [px, py] : points) svg.dot(px, py, i == 0 ? 2.8 : 2, Svg::series(i));
  }
}

// Median as a dot, up to the 99th percentile as a line, on a logarithmic axis from 10 to 10000.
void samples_panel(Svg& svg, double y, double width, const std::vector<Cell>& cells,
                   const std::vector<std::string>& models, double effect) {
  const auto up = [&](double samples) {
    return y + kSamplesHeight * (1 - std::clamp((std::log10(std::max(1.0, samples)) - 1) / 3, 0.0, 1.0));
  };
  svg.text(kLeft, y - 18, "samples of each arm where nothing is planted", Svg::Anchor::start, "title");
  svg.text(kLeft, y - 5,
           "dot: median; line: up to the 99th percentile; nvbench's two rules share their samples, and so do "
           "Mann-Whitney and the threshold",
           Svg::Anchor::start, "small");
  for (const double samples : {10.0, 100.0, 1000.0, 10000.0}) {
    svg.line(kLeft, up(samples), width - 10, up(samples), "grid");
    svg.text(kLeft - 4, up(samples) + 4, fmt::format("{:.0f}", samples), Svg::Anchor::end, "small");
  }
  const double step = (width - kLeft - 10) / static_cast<double>(models.size());
  for (std::size_t m = 0; m < models.size(); ++m) {
    const double middle = kLeft + step * (static_cast<double>(m) + 0.5);
    // Long names beside each other: every second one a line lower, and the last one inside the drawing.
    const double below = y + kSamplesHeight + (m % 2 == 0 ? 14 : 27);
    if (m + 1 == models.size())
      svg.text(width - 6, below, models[m], Svg::Anchor::end, "small");
    else
      svg.text(middle, below, models[m], Svg::Anchor::middle, "small");
    for (const std::size_t i : {0u, 1u, 3u}) {  // rules on the same samples share a mark
      const Cell* cell = find(cells, kRules[i], models[m], effect);
      if (cell == nullptr) continue;
      const double x = middle + 14 * (static_cast<double>(i) - 1.3);
      const auto median = static_cast<double>(cell->tally.samples(0.5)),
                 high = static_cast<double>(cell->tally.samples(0.99));
      svg.line(x, up(median), x, up(high), Svg::series(i));
      svg.dot(x, up(median), 3.5, Svg::series(i));
    }
  }
}

}  // namespace

std::string plot_of(const std::vector<Cell>& cells) {
  std::vector<double> effects;
  std::vector<std::string> models;
  effects.reserve(cells.size());
  for (const auto& cell : cells) effects.push_back(cell.effect);
  std::sort(effects.begin(), effects.end());
  effects.erase(std::unique(effects.begin(), effects.end()), effects.end());
  for (const char* model : kModels) {
    if (!effects.empty() && find(cells, "kgate", model, effects.front()) != nullptr) models.emplace_back(model);
  }
  const std::size_t rows = (2 * models.size() + kColumns - 1) / kColumns;
  const double width = kLeft + kColumn * static_cast<double>(kColumns);
  const double samples_top = kTop + kRow * static_cast<double>(rows) + 34;
  Svg svg(width, samples_top + kSamplesHeight + 36);
  svg.text(kLeft - 30, 20,
           "Share of decisions that block, %, over the planted slowdown (square-root axis); shaded: the zone between "
           "tolerate and block",
           Svg::Anchor::start, "title");
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    const double x = kLeft - 30 + 150 * static_cast<double>(i);
    svg.line(x, 34, x + 22, 34, Svg::series(i));
    svg.dot(x + 11, 34, 3, Svg::series(i));
    svg.text(x + 28, 38, kRules[i]);
  }
  for (std::size_t i = 0; i < 2 * models.size(); ++i) {
    const std::size_t row = i / kColumns, column = i % kColumns;
    panel(svg, kLeft + kColumn * static_cast<double>(column), kTop + 12 + kRow * static_cast<double>(row), cells,
          models[i / 2], i % 2 == 1, effects);
  }
  if (!models.empty()) samples_panel(svg, samples_top, width, cells, models, effects.front());
  return svg.finish();
}

}  // namespace kgate::bench
