#include "gate/stats/spread.h"

#include <algorithm>
#include <cmath>

namespace kgate::stats {
namespace {

// DerSimonian and Laird's Q less its expectation without a spread, and the factor by which a spread's square enters it.
struct Moments {
  double excess = 0, factor = 0;
};

Moments moments_of(const std::vector<RoundEstimate>& rounds) {
  double weights = 0, squares = 0, center = 0, known = 0;
  for (const auto& round : rounds) {
    if (!(round.standard_error > 0) || !std::isfinite(round.standard_error)) continue;
    const double weight = 1 / (round.standard_error * round.standard_error);
    weights += weight;
    squares += weight * weight;
    center += weight * round.center;
    known += 1;
  }
  if (known < 2) return {};
  center /= weights;
  double q = 0;
  for (const auto& round : rounds) {
    if (!(round.standard_error > 0) || !std::isfinite(round.standard_error)) continue;
    q += (round.center - center) * (round.center - center) / (round.standard_error * round.standard_error);
  }
  return {q - (known - 1), weights - squares / weights};
}

double spread_of(const Moments& moments) {
  return moments.factor > 0 ? std::sqrt(std::max(0.0, moments.excess / moments.factor)) : 0;
}

}  // namespace

double between_rounds(const std::vector<RoundEstimate>& rounds) {
  return spread_of(moments_of(rounds));
}

double between_rounds_pooled(const std::vector<std::vector<RoundEstimate>>& cases) {
  // Each case's variance estimate may be negative (rounds that agree better than their errors say): only the sum is
  // cut at zero, else the estimate would be too large for quiet machines.
  double sum = 0, freedom = 0;
  for (const auto& rounds : cases) {
    const Moments moments = moments_of(rounds);
    if (!(moments.factor > 0)) continue;
    const double weight = static_cast<double>(rounds.size()) - 1;
    sum += weight * moments.excess / moments.factor;
    freedom += weight;
  }
  return freedom > 0 ? std::sqrt(std::max(0.0, sum / freedom)) : 0;
}

}  // namespace kgate::stats
