// How many steps gate/stats/change_points finds, how well it dates them, how many it invents, and how long ten years
// take. The tables of docs/drift.md.
//
//   bench_change_points [--series N] [--false-series N] [--part power|false|shapes|speed|all]
#include <cmath>
#include <ctime>
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>
#include <sys/resource.h>

#include "bench/nights.h"
#include "gate/stats/creep.h"

using namespace kgate;
using namespace kgate::bench;
using namespace kgate::stats;

namespace {

constexpr std::size_t kBefore = 120;  // figures before a step
constexpr std::size_t kYears = 3650;  // nights
constexpr std::size_t kWatched = 400, kWatchedFrom = 60;
constexpr std::size_t kSame = 8;  // figures apart: the same change point

struct Named {
  const char* name;
  NightModel model;
};

const std::vector<Named> kModels = {
    {"noise 1 %", {}},
    {"30 % of the nights missing", {0.01, 0.3, 0, 0}},
    {"5 % bad nights (+20 %)", {0.01, 0, 0.05, 0}},
    {"both", {0.01, 0.3, 0.05, 0}},
    {"noise 0.3 %, both", {0.003, 0.3, 0.05, 0}},
    {"neighbours correlate by 0.3", {0.01, 0, 0, 0.3}},
    {"by 0.6", {0.01, 0, 0, 0.6}},
    {"by 0.9", {0.01, 0, 0, 0.9}},
};

double unchanged(std::size_t) {
  return 0;
}

std::size_t apart(std::size_t a, std::size_t b) {
  return a > b ? a - b : b - a;
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Power {
  double found = 0, dated = 0;
};

// A step of 2 % at kBefore, looked at once so many figures after it are there.
Power power(const NightModel& model, std::size_t after, int series) {
  Power power;
  for (int i = 0; i < series; ++i) {
    RandomStream random(1, static_cast<std::uint64_t>(i));
    const auto nights = nights_of(random, kBefore + after, model,
                                  [](std::size_t index) { return index >= kBefore ? std::log(1.02) : 0; });
    bool found = false, dated = false;
    for (const auto& point : change_points(nights)) {
      found = found || apart(point.index, kBefore) <= kSame;
      dated = dated || apart(point.index, kBefore) <= 2;
    }
    power.found += 100.0 * found / series;
    power.dated += 100.0 * dated / series;
  }
  return power;
}

// The rejected way: Student's t on the figures as they are, at the split where it is largest; Bonferroni over splits
// would cost it more.
double power_of_plain_t(const NightModel& model, std::size_t after, int series) {
  constexpr std::size_t kLeast = 6;
  double found = 0;
  for (int i = 0; i < series; ++i) {
    RandomStream random(1, static_cast<std::uint64_t>(i));
    const auto nights = nights_of(random, kBefore + after, model,
                                  [](std::size_t index) { return index >= kBefore ? std::log(1.02) : 0; });
    const auto n = static_cast<double>(nights.size());
    double sum = 0, squares = 0, all = 0, most = 0;
    std::size_t at = 0;
    for (const auto& night : nights) all += night.log_us;
    for (const auto& night : nights) squares += (night.log_us - all / n) * (night.log_us - all / n);
    for (std::size_t k = 1; k + kLeast <= nights.size(); ++k) {
      sum += nights[k - 1].log_us - all / n;
      if (k < kLeast) continue;
      const double between = sum * sum * n / (static_cast<double>(k) * (n - static_cast<double>(k)));
      const double t = std::sqrt(between / ((squares - between) / (n - 2)));
      if (t > most) {
        most = t;
        at = k;
      }
    }
    const double p = 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(n - 2), most));
    found += 100.0 * (p <= ChangeOptions().significance && apart(at, kBefore) <= kSame) / series;
  }
  return found;
}

void print_power(int series) {
  std::cout << fmt::format(
                   "A step of 2 % after {} figures, {} series: % found / found and dated within two figures\n\n",
                   kBefore, series)
            << "| noise | 6 figures after it | 8 | 10 | 12 | 16 | 30 | plain t test, 8 "
               "|\n|---|---|---|---|---|---|---|---|\n";
  for (const auto& [name, model] : kModels) {
    std::cout << "| " << name;
    for (const std::size_t after : {6, 8, 10, 12, 16, 30}) {
      const Power one = power(model, after, series);
      std::cout << fmt::format(" | {:.1f} / {:.1f}", one.found, one.dated);
    }
    std::cout << fmt::format(" | {:.1f} |\n", power_of_plain_t(model, 8, series)) << std::flush;
  }
}

// Told by one look at ten years; and, in a case that is looked at every night, ever told.
void print_false(int series) {
  std::cout << fmt::format(
      "\nFalse change points in 1,000 nights: {} series of ten years; {} series of {} nights, looked "
      "at every night from the {}th on\n\n| noise | ten years, one look | every night |\n|---|---|---|\n",
      series, series, kWatched, kWatchedFrom);
  for (const auto& [name, model] : kModels) {
    std::size_t once = 0, ever = 0;
    for (int i = 0; i < series; ++i) {
      RandomStream random(2, static_cast<std::uint64_t>(i));
      once += change_points(nights_of(random, kYears, model, unchanged)).size();
      RandomStream other(3, static_cast<std::uint64_t>(i));
      const auto nights = nights_of(other, kWatched, model, unchanged);
      std::vector<std::size_t> told;
      for (std::size_t count = kWatchedFrom; count <= kWatched; ++count) {
        for (const auto& point : change_points(std::span(nights).first(count))) {
          bool known = false;
          for (const std::size_t index : told) known = known || apart(index, point.index) <= kSame;
          if (!known) told.push_back(point.index);
        }
      }
      ever += told.size();
    }
    const double looked = static_cast<double>(series) * (kWatched - kWatchedFrom + 1);
    std::cout << fmt::format("| {} | {:.2f} | {:.2f} |\n", name,
                             1000.0 * static_cast<double>(once) / (static_cast<double>(series) * kYears),
                             1000.0 * static_cast<double>(ever) / looked)
              << std::flush;
  }
}

// Two steps 20 figures apart; and a creep of 3 % in 60 nights, looked at 30 nights after its end.
void print_shapes(int series) {
  std::cout << fmt::format(
      "\n{} series each\n\n| noise | up and down: both found | both dated | creep: a change told | "
      "changes | `creep`: over 1 % proved |\n|---|---|---|---|---|---|\n",
      series);
  for (const auto& [name, model] : kModels) {
    double both = 0, dated = 0, told = 0, changes = 0, crept = 0;
    for (int i = 0; i < series; ++i) {
      RandomStream random(4, static_cast<std::uint64_t>(i));
      const auto steps = nights_of(random, kBefore + 20 + 60, model, [](std::size_t index) {
        return index >= kBefore && index < kBefore + 20 ? std::log(1.02) : 0;
      });
      int near = 0, close = 0;
      for (const auto& point : change_points(steps)) {
        const std::size_t from = std::min(apart(point.index, kBefore), apart(point.index, kBefore + 20));
        near += from <= kSame;
        close += from <= 2;
      }
      both += 100.0 * (near == 2) / series;
      dated += 100.0 * (close == 2) / series;
      const auto ramp = nights_of(random, kBefore + 90, model, [](std::size_t index) {
        const double way = static_cast<double>(index) - static_cast<double>(kBefore);
        return std::log(1.03) * std::clamp(way / 60, 0.0, 1.0);
      });
      const auto points = change_points(ramp);
      told += 100.0 * !points.empty() / series;
      changes += static_cast<double>(points.size()) / series;
      crept += 100.0 * (creep(std::span(ramp).first(20), std::span(ramp).last(20)).low > 1.01) / series;
    }
    std::cout << fmt::format("| {} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.1f} |\n", name, both, dated, told, changes,
                             crept)
              << std::flush;
  }
}

void print_speed() {
  std::cout << "\n100 kernels of 5 cases, ten years, one core; a step of 2 % every half year\n\n"
               "| noise | CPU seconds | change points |\n|---|---|---|\n";
  for (const auto& [name, model] : kModels) {
    double seconds = 0;
    std::size_t points = 0;
    for (std::uint64_t i = 0; i < 500; ++i) {
      RandomStream random(5, i);
      const auto nights = nights_of(random, kYears, model,
                                    [](std::size_t index) { return (index / 182) % 2 == 1 ? std::log(1.02) : 0; });
      const double start = cpu_seconds();
      points += change_points(nights).size();
      seconds += cpu_seconds() - start;
    }
    std::cout << fmt::format("| {} | {:.2f} | {} |\n", name, seconds, points) << std::flush;
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::cout << fmt::format("\npeak {:.0f} MB\n", static_cast<double>(usage.ru_maxrss) / 1024);
}

}  // namespace

int main(int argc, char** argv) {
  int series = 4000, false_series = 100;
  std::string part = "all";
  CLI::App app{"change points found, invented and timed", "bench_change_points"};
  app.add_option("--series", series)->capture_default_str();
  app.add_option("--false-series", false_series)->capture_default_str();
  app.add_option("--part", part)->check(CLI::IsMember({"power", "false", "shapes", "speed", "all"}));
  CLI11_PARSE(app, argc, argv);
  if (part == "power" || part == "all") print_power(series);
  if (part == "false" || part == "all") print_false(false_series);
  if (part == "shapes" || part == "all") print_shapes(series);
  if (part == "speed" || part == "all") print_speed();
  return 0;
}
