#include "gate/search/tuner/distance.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace kgate::tuner {
namespace {

using Coordinates = std::vector<double>;

Coordinates ranks_of(const std::vector<double>& numbers) {
  const std::set<double> ordered(numbers.begin(), numbers.end());
  Coordinates ranks;
  for (const double number : numbers)
    ranks.push_back(static_cast<double>(std::distance(ordered.begin(), ordered.find(number))));
  return ranks;
}

// Empty where not all are whole numbers that a bit count makes sense of. 0 is as aligned as the most aligned other.
Coordinates alignments_of(const std::vector<double>& numbers) {
  if (numbers.empty()) return {};                // categories
  constexpr double kLargest = 9007199254740992;  // 2^53
  Coordinates alignments;
  for (const double number : numbers) {
    if (number != std::floor(number) || std::abs(number) > kLargest) return {};
    int bits = 0;
    for (auto rest = static_cast<long long>(std::abs(number)); rest != 0 && rest % 2 == 0; rest /= 2) ++bits;
    alignments.push_back(bits);
  }
  const double most = *std::max_element(alignments.begin(), alignments.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == 0) alignments[i] = most;
  }
  return alignments;
}

Eigen::MatrixXd squared_distances(const Coordinates& coordinates) {
  const Eigen::Map<const Eigen::VectorXd> x(coordinates.data(), static_cast<Eigen::Index>(coordinates.size()));
  const double range = x.maxCoeff() - x.minCoeff();
  Eigen::MatrixXd squared(x.size(), x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i)
    squared.col(i) = (x.array() - x[i]).square() / std::max(range * range, 1e-300);
  return squared;
}

Eigen::MatrixXd identity(std::size_t values) {
  const auto n = static_cast<Eigen::Index>(values);
  return Eigen::MatrixXd::Ones(n, n) - Eigen::MatrixXd::Identity(n, n);
}

}  // namespace

std::vector<Distance> distances_of(const Space& space) {
  std::vector<Distance> distances;
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const Parameter& parameter = space.parameters()[i];
    const std::size_t first = distances.size();
    const auto add = [&](Eigen::MatrixXd squared) {
      const bool known = std::any_of(distances.begin() + static_cast<std::ptrdiff_t>(first), distances.end(),
                                     [&](const Distance& one) { return one.squared.isApprox(squared); });
      if (!known && squared.maxCoeff() > 0) distances.push_back({i, std::move(squared)});
    };
    if (!parameter.numbers.empty()) add(squared_distances(ranks_of(parameter.numbers)));
    add(identity(parameter.values.size()));
    const Coordinates alignments = alignments_of(parameter.numbers);
    if (!alignments.empty()) add(squared_distances(alignments));
  }
  return distances;
}

}  // namespace kgate::tuner
