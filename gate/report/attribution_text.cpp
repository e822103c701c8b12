#include "gate/report/attribution_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gate/report/format.h"

namespace kgate::report {
namespace {

using verdict::Attribution;
using verdict::Part;

constexpr std::size_t kMostDifferences = 8;
constexpr double kTelling = 0.005;
constexpr double kEven = 10;  // percent

double percent(double ratio) {
  return 100 * (ratio - 1);
}

// "+3.0 % (±0.1)"; what needed no measuring has no error.
std::string text_of(const Part& part) {
  if (part.low == part.high) return "0 %";
  const double half = std::max(percent(part.high) - percent(part.ratio), percent(part.ratio) - percent(part.low));
  // An interval as wide as that is no longer even on both sides.
  if (half > kEven) return change(part.ratio, part.low, part.high);
  const int decimals = half < 0.095 ? 2 : 1;
  return fmt::format("{:+.{}f} % (±{:.{}f})", percent(part.ratio), decimals, half, decimals);
}

std::string toolkit_name(const Attribution& why) {
  if (why.toolkit_before.empty() || why.toolkit_before == why.toolkit_after) return "toolkit";
  return fmt::format("toolkit {} -> {}", one_line(why.toolkit_before), one_line(why.toolkit_after));
}

}  // namespace

std::vector<std::string> attribution_lines(const Attribution& why) {
  if (why.since.empty()) return {};
  const std::vector<std::pair<std::string, const Part*>> all{{"this change", &why.change},
                                                             {"merged since then", &why.merged},
                                                             {toolkit_name(why), &why.toolkit},
                                                             {"machine", &why.machine}};
  double sum = 0;
  std::vector<std::string> parts, unknown;
  for (const auto& [name, part] : all) {
    if (part->known()) {
      sum += std::log(part->ratio);
      parts.push_back(name + " " + text_of(*part));
    } else {
      unknown.push_back(fmt::format("{} ({})", name, one_line(part->unknown)));
    }
  }
  if (parts.empty()) return {};
  std::vector<std::string> lines{
      fmt::format("why: {:+.1f} % since {}: {}", percent(std::exp(sum)), one_line(why.since), list(parts))};
  if (!unknown.empty()) lines.push_back("not known: " + list(unknown));
  // Where the machine is not to blame its differences blame nobody.
  if (!why.machine.known()) return lines;
  for (std::size_t i = 0; i < std::min(why.machine_differences.size(), kMostDifferences); ++i)
    lines.push_back("machine, since then: " + one_line(why.machine_differences[i]));
  if (why.machine_differences.size() > kMostDifferences)
    lines.push_back(
        fmt::format("and {} more differences, in result.json", why.machine_differences.size() - kMostDifferences));
  return lines;
}

bool is_telling(const Attribution& why) {
  const auto telling = [](const Part& part) {
    return part.known() && (part.low > 1 || part.high < 1) && std::abs(part.ratio - 1) > kTelling;
  };
  return telling(why.merged) || telling(why.toolkit) || telling(why.machine);
}

}  // namespace kgate::report
