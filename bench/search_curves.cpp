#include "bench/search_curves.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bench/svg.h"

namespace kgate::bench {
namespace {

constexpr std::array<std::size_t, 7> kEvaluations{10, 20, 40, 80, 150, 200, 400};
constexpr std::array<double, 2> kNear{0.05, 0.02};

// The lower order statistic where two are as near.
double order_statistic(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  const double at = std::ceil(p * static_cast<double>(values.size())) - 1;
  return values[static_cast<std::size_t>(std::max(0.0, at))];
}

std::string shown(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.3f}", ratio) : "none";
}

constexpr double kLeft = 44, kTop = 64, kWidth = 250, kHeight = 190, kColumn = 306, kBelow = 44;
constexpr double kFrom = 5;  // evaluations, at the left edge

void panel(Svg& svg, double x, const SpaceCurves& space) {
  const std::size_t budget = space.optimisers.front().runs.front().size();
  double most = 1.1;
  for (const SearchCurves& one : space.optimisers) {
    if (const double at = one.quantile(static_cast<std::size_t>(kFrom), 0.5); std::isfinite(at))
      most = std::max(most, at);
  }
  const double range = std::log(most);
  const auto right = [&](double evaluations) {
    return x + kWidth * std::log(evaluations / kFrom) / std::log(static_cast<double>(budget) / kFrom);
  };
  const auto up = [&](double ratio) { return kTop + kHeight * (1 - std::clamp(std::log(ratio) / range, 0.0, 1.0)); };
  svg.text(x, kTop - 10, space.name, Svg::Anchor::start, "title");
  double last = kTop + 2 * kHeight;
  for (const double ratio : {1.0, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0}) {
    if (ratio > most || last - up(ratio) < 11) continue;
    last = up(ratio);
    svg.line(x, last, x + kWidth, last, "grid");
    svg.text(x - 4, last + 4, fmt::format("{:g}", ratio), Svg::Anchor::end, "small");
  }
  for (const std::size_t evaluations : kEvaluations) {
    if (evaluations > budget) continue;
    const auto at = right(static_cast<double>(evaluations));
    svg.line(at, kTop + kHeight, at, kTop + kHeight + 3, "axis");
    if (evaluations != 150)
      svg.text(at, kTop + kHeight + 14, fmt::format("{}", evaluations), Svg::Anchor::middle, "small");
  }
  svg.line(x, kTop + kHeight, x + kWidth, kTop + kHeight, "axis");
  svg.text(x + kWidth / 2, kTop + kHeight + 28, "evaluations", Svg::Anchor::middle, "small");
  for (std::size_t i = space.optimisers.size(); i-- > 0;) {
    const SearchCurves& one = space.optimisers[i];
    // Stairs: a point where a step begins and one where it ends.
    std::vector<std::pair<double, double>> points;
    for (auto evaluations = static_cast<std::size_t>(kFrom); evaluations <= budget; ++evaluations) {
      const double at = right(static_cast<double>(evaluations)), height = up(one.quantile(evaluations, 0.5));
      if (!points.empty() && height == points.back().second && evaluations < budget) continue;
      if (!points.empty()) points.emplace_back(at, points.back().second);
      points.emplace_back(at, height);
    }
    svg.path(points, Svg::series(i));
    for (const std::size_t evaluations : kEvaluations) {
      if (evaluations > budget) continue;
      const double at = right(static_cast<double>(evaluations)) + 3 * (static_cast<double>(i) - 1.5);
      svg.line(at, up(one.quantile(evaluations, 0.25)), at, up(one.quantile(evaluations, 0.75)), Svg::series(i));
    }
  }
}

}  // namespace

double SearchCurves::quantile(std::size_t evaluations, double p) const {
  std::vector<double> ratios;
  for (const auto& run : runs) ratios.push_back(run[std::min(evaluations, run.size()) - 1]);
  return order_statistic(std::move(ratios), p);
}

std::optional<std::size_t> SearchCurves::evaluations_until(double share, double p) const {
  std::vector<double> counts;
  for (const auto& run : runs) {
    const auto found = std::find_if(run.begin(), run.end(), [&](double ratio) { return ratio <= 1 + share; });
    counts.push_back(found == run.end() ? HUGE_VAL : static_cast<double>(found - run.begin() + 1));
  }
  const double count = order_statistic(std::move(counts), p);
  return std::isfinite(count) ? std::optional(static_cast<std::size_t>(count)) : std::nullopt;
}

SpaceCurves replay_all(const MeasuredSpace& measured, std::size_t budget, std::uint64_t seeds) {
  SpaceCurves space{measured.name, {}};
  for (const Optimiser& optimiser : optimisers()) {
    SearchCurves curves{optimiser.name, {}};
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      Replay replay(measured, budget);
      optimiser.run(replay, seed);
      curves.runs.push_back(replay.best_so_far());
    }
    space.optimisers.push_back(std::move(curves));
  }
  return space;
}

std::string table_of(const SpaceCurves& space) {
  std::string text = fmt::format("| {} |", space.name), rule = "|---|";
  for (const std::size_t evaluations : kEvaluations) {
    text += fmt::format(" {} |", evaluations);
    rule += "---|";
  }
  for (const double share : kNear) {
    text += fmt::format(" within {:g} % after |", 100 * share);
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const SearchCurves& one : space.optimisers) {
    text += "| " + one.optimiser + " |";
    for (const std::size_t evaluations : kEvaluations) {
      text += fmt::format(" {} ({}-{}) |", shown(one.quantile(evaluations, 0.5)),
                          shown(one.quantile(evaluations, 0.25)), shown(one.quantile(evaluations, 0.75)));
    }
    for (const double share : kNear) {
      const auto until = [&](double p) {
        const auto count = one.evaluations_until(share, p);
        return count ? fmt::format("{}", *count) : fmt::format("over {}", one.runs.front().size());
      };
      text += fmt::format(" {} ({}-{}) |", until(0.5), until(0.25), until(0.75));
    }
    text += "\n";
  }
  return text;
}

std::string search_plot(const std::vector<SpaceCurves>& spaces) {
  Svg svg(kLeft + kColumn * static_cast<double>(spaces.size()), kTop + kHeight + kBelow);
  svg.text(kLeft - 30, 18, "Best time so far over the best of the whole space: median, bars from quartile to quartile",
           Svg::Anchor::start, "title");
  for (std::size_t i = 0; !spaces.empty() && i < spaces.front().optimisers.size(); ++i) {
    const double x = kLeft - 30 + 170 * static_cast<double>(i);
    svg.line(x, 32, x + 22, 32, Svg::series(i));
    svg.text(x + 28, 36, spaces.front().optimisers[i].optimiser);
  }
  for (std::size_t i = 0; i < spaces.size(); ++i) panel(svg, kLeft + kColumn * static_cast<double>(i), spaces[i]);
  return svg.finish();
}

}  // namespace kgate::bench
