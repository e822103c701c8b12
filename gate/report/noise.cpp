#include "gate/report/noise.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/report/report.h"

namespace kgate::report {
namespace {

std::string percent(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

std::string row(const std::string& name, std::size_t width, const std::vector<std::string>& cells) {
  std::string line = fmt::format("{:<{}}", name, width);
  for (const auto& cell : cells) line += fmt::format("  {:>13}", cell);
  return line + "\n";
}

std::string planted_cell(const verdict::CaseNoise& one) {
  if (!one.planted) return "-";
  return fmt::format("{:.2f} -> {:.2f}", 100 * one.planted->size, 100 * one.planted->found);
}

// A planted slowdown that was not found as what it is, or a kernel that is not even with itself.
std::vector<std::string> surprises(const verdict::CaseNoise& one, const std::string& name) {
  std::vector<std::string> lines;
  if (one.even_low > 0 || one.even_high < 0) {
    lines.push_back(fmt::format("{}: against itself {:+.2f} % [{:+.2f}, {:+.2f}]: this machine is biased\n", name,
                                100 * one.even, 100 * one.even_low, 100 * one.even_high));
  }
  if (one.planted && one.planted->low <= 0) {
    lines.push_back(
        fmt::format("{}: a planted slowdown of {:.2f} % is not seen yet ([{:+.2f}, {:+.2f}] after {} "
                    "blocks)\n",
                    name, 100 * one.planted->size, 100 * one.planted->low, 100 * one.planted->high, one.blocks));
  }
  return lines;
}

}  // namespace

std::string write_noise(const verdict::Noise& noise, const verdict::Result& setting) {
  const auto name_of = [](const verdict::CaseNoise& one) { return neutral(one.kernel + ": " + one.name); };
  std::size_t width = 4;
  for (const auto& one : noise.cases) width = std::max(width, name_of(one).size());
  std::string text = fmt::format("what {} can see ({})\n\n", neutral(setting.device_name), setting.backend);
  text += row("case", width, {"us", "block spread", "error in 1 s", "smallest seen", "zone", "planted -> found"});
  std::string remarks;
  for (const auto& one : noise.cases) {
    if (!one.failure.empty()) {
      text += fmt::format("{:<{}}  {}\n", name_of(one), width, neutral(one.failure));
      continue;
    }
    text += row(name_of(one), width,
                {fmt::format("{:.2f}", one.us), percent(one.block_spread), "+-" + percent(one.second_half),
                 percent(one.smallest), fmt::format("{:.2f}-{:.2f} %", 100 * one.tolerate, 100 * one.block),
                 planted_cell(one)});
    for (const auto& line : surprises(one, name_of(one))) remarks += line;
  }
  text += fmt::format(
      "\nblock spread   standard deviation of one block's ratio, a kernel against itself\n"
      "error in 1 s   half the interval's width after one second of measuring, at the run's error level\n"
      "smallest seen  the slowdown that is proved in 99 of 100 runs within {:.3g} s a case\n"
      "zone           the narrowest tolerate-block that suits\n"
      "planted        slowdown of known size, in percent, and what was found\n\n",
      noise.seconds_per_case);
  if (!remarks.empty()) text += remarks + "\n";
  text += fmt::format("between processes: {} beyond their own errors (without this record {} is assumed)\n",
                      percent(noise.round_spread), percent(noise.default_spread));
  const auto& overlap = noise.overlap;
  if (overlap.blocks > 0) {
    text += fmt::format(
        "a process that starts beside a measurement: spread {:.2f} times the quiet one, shift {:+.2f} "
        "+- {:.2f} of a block's spread: {}\n",
        overlap.spread / std::max(overlap.quiet_spread, 1e-9), overlap.shift, overlap.shift_error,
        overlap.harmless ? "harmless" : "it disturbs; runs will start their processes one by one");
  }
  return text;
}

}  // namespace kgate::report
