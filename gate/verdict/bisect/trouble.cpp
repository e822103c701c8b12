#include "gate/verdict/bisect/trouble.h"

#include <algorithm>
#include <cmath>

namespace kgate::verdict {
namespace {

Trouble trouble_of(const KernelResult& kernel) {
  switch (kernel.verdict) {
    case Verdict::regressed:
      return Trouble::regressed;
    case Verdict::suspect:
      return Trouble::suspect;
    case Verdict::wrong:
      if (kernel.code.empty()) return Trouble::uncompiled;
      // What the policy refuses is not run; only what was found in its code can be the reason.
      return kernel.cases.empty() && !kernel.lint.empty() ? Trouble::refused : Trouble::wrong;
    default:
      return passes(kernel.verdict) ? Trouble::none : Trouble::unknown;
  }
}

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// None unless every one of the cases was timed.
std::optional<Ratio> ratio_over(const KernelResult& kernel, const std::vector<std::string>& cases) {
  double middle = 0, squares = 0;
  std::size_t timed = 0;
  for (const auto& one : kernel.cases) {
    if (!one.time || !is_among(cases, one.name)) continue;
    ++timed;
    middle += std::log(one.time->ratio);
    const double half = std::log(one.time->high / std::max(one.time->low, 1e-6)) / 2;
    squares += half * half;
  }
  if (timed == 0 || timed != cases.size()) return std::nullopt;
  const auto count = static_cast<double>(timed);
  const double mean = middle / count, error = std::sqrt(squares) / count;
  return Ratio{std::exp(mean), std::exp(mean - error), std::exp(mean + error)};
}

}  // namespace

const char* name_of(Trouble trouble) {
  switch (trouble) {
    case Trouble::none:
      return "none";
    case Trouble::regressed:
      return "regressed";
    case Trouble::suspect:
      return "suspect";
    case Trouble::wrong:
      return "wrong";
    case Trouble::refused:
      return "refused";
    case Trouble::uncompiled:
      return "does not compile";
    case Trouble::unknown:
      return "unknown";
  }
  return "unknown";
}

std::vector<std::string> slower_cases(const KernelResult& kernel) {
  std::vector<std::string> names;
  for (const auto& one : kernel.cases) {
    if (one.verdict == Verdict::regressed && one.time) names.push_back(one.name);
  }
  return names;
}

Standing standing_of(const KernelResult& kernel, const std::vector<std::string>& cases) {
  return {trouble_of(kernel), kernel.verdict, kernel.reason, ratio_over(kernel, cases)};
}

Side side_of(const Standing& one, const Wanted& wanted, const Standing& good, const Standing& bad) {
  if (wanted.by_time) {
    const bool settled = one.trouble == Trouble::none || one.trouble == Trouble::regressed;
    const bool right = settled || one.verdict == Verdict::inconclusive;
    if (!right || !one.ratio || !good.ratio || !bad.ratio) return Side::unknown;
    return halfway(*one.ratio, settled, *good.ratio, *bad.ratio);
  }
  if (one.trouble == Trouble::unknown || one.trouble > wanted.trouble) return Side::unknown;
  return one.trouble == wanted.trouble ? Side::bad : Side::good;
}

}  // namespace kgate::verdict
