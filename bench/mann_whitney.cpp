#include "bench/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace kgate::bench {

// The number of orders of m and n values with a given U is the coefficient of q^U in the Gaussian binomial, the product
// over i = 1 .. n of (1 - q^(m + i)) / (1 - q^i): one polynomial multiplied and divided in place. Divided by the number
// of all orders as it goes, so that nothing overflows.
MannWhitney::MannWhitney(std::int64_t first, std::int64_t second) : first_(first), second_(second) {
  const std::int64_t most = first * second;
  cumulative_.assign(static_cast<std::size_t>(most + 1), 0);
  auto at = [this](std::int64_t i) -> double& { return cumulative_[static_cast<std::size_t>(i)]; };
  at(0) = 1;
  for (std::int64_t i = 1; i <= second; ++i) {
    for (std::int64_t k = most; k >= first + i; --k) at(k) -= at(k - first - i);
    for (std::int64_t k = i; k <= most; ++k) at(k) += at(k - i);
    const double share = static_cast<double>(i) / static_cast<double>(first + i);
    for (double& value : cumulative_) value *= share;
  }
  double sum = 0;
  for (double& value : cumulative_) value = sum += value;
}

double MannWhitney::cumulative(std::int64_t u) const {
  if (u < 0) return 0;
  return cumulative_[static_cast<std::size_t>(std::min(u, first_ * second_))];
}

std::int64_t MannWhitney::critical(double level) const {
  std::int64_t u = -1;
  while (2 * cumulative(u + 1) <= level) ++u;
  return u;
}

MannWhitney::Ranked MannWhitney::rank(std::span<const double> a, std::span<const double> b) const {
  std::vector<std::pair<double, bool>> all;
  all.reserve(a.size() + b.size());
  for (const double value : a) all.emplace_back(value, false);
  for (const double value : b) all.emplace_back(value, true);
  std::sort(all.begin(), all.end());
  Ranked ranked;
  double ranks = 0;  // sum of the ranks of b
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    double of_b = 0;
    while (end < all.size() && all[end].first == all[begin].first) of_b += all[end++].second ? 1 : 0;
    const auto size = static_cast<double>(end - begin);
    ranks += of_b * (static_cast<double>(begin + end) + 1) / 2;  // the mean of the ranks begin + 1 .. end
    ranked.ties += size * size * size - size;
  }
  const auto n = static_cast<double>(b.size());
  ranked.u = ranks - n * (n + 1) / 2;
  return ranked;
}

double MannWhitney::u(std::span<const double> a, std::span<const double> b) const {
  return rank(a, b).u;
}

double MannWhitney::p_value(std::span<const double> a, std::span<const double> b) const {
  const Ranked ranked = rank(a, b);
  const auto m = static_cast<double>(first_), n = static_cast<double>(second_);
  const double smaller = std::min(ranked.u, m * n - ranked.u);
  if (ranked.ties == 0) return std::min(1.0, 2 * cumulative(static_cast<std::int64_t>(std::floor(smaller))));
  const double size = m + n;
  const double variance = m * n / 12 * (size + 1 - ranked.ties / (size * (size - 1)));
  if (!(variance > 0)) return 1;  // all values are equal
  const double z = std::max(0.0, m * n / 2 - smaller - 0.5) / std::sqrt(variance);
  return std::min(1.0, std::erfc(z / std::numbers::sqrt2));
}

}  // namespace kgate::bench
