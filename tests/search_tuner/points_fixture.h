#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/philox.h"
#include "gate/search/tuner/evidence.h"

namespace kgate::tuner {

// A space with every kind of parameter, some of its configurations, and values at them.
struct Sample {
  Space space{{{"BLOCK", {"32", "64", "96", "128", "160"}},
               {"LAYOUT", {"row", "column", "tiled"}},
               {"ONE", {"1"}},
               {"SHARED", {"0", "1"}}}};
  std::vector<Distance> distances = distances_of(space);
  Points points{4}, others{4};
  Eigen::VectorXd values;
  Hyperparameters hyperparameters;

  explicit Sample(std::size_t count) {
    RandomStream random(5, 0);
    std::vector<Configuration> all;
    for (std::uint16_t block = 0; block < 5; ++block) {
      for (std::uint16_t layout = 0; layout < 3; ++layout) {
        for (std::uint16_t shared = 0; shared < 2; ++shared) all.push_back({block, layout, 0, shared});
      }
    }
    random.shuffle(all);
    values.resize(static_cast<Eigen::Index>(count));
    for (std::size_t i = 0; i < all.size(); ++i) (i < count ? points : others).add(all[i]);
    for (Eigen::Index i = 0; i < values.size(); ++i) values[i] = 3 * random.uniform() + 7;
    hyperparameters = Evidence::prior_mean(distances.size());
    for (double& weight : hyperparameters.log_weights) weight = 2 * random.uniform() - 1;
    hyperparameters.log_noise = -4;
  }
};

// Matern 5/2 of two configurations, written out from the definition.
inline double correlation_by_hand(const Sample& sample, const Configuration& a, const Configuration& b) {
  double squared = 0;
  for (std::size_t i = 0; i < sample.distances.size(); ++i) {
    const Distance& distance = sample.distances[i];
    squared += std::exp(sample.hyperparameters.log_weights[static_cast<Eigen::Index>(i)]) *
               distance.squared(a[distance.parameter], b[distance.parameter]);
  }
  const double r = std::sqrt(5 * squared);
  return (1 + r + r * r / 3) * std::exp(-r);
}

inline Eigen::MatrixXd correlations_by_hand(const Sample& sample, const Points& rows, const Points& columns) {
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      matrix(i, j) =
          correlation_by_hand(sample, rows.at(static_cast<std::size_t>(i)), columns.at(static_cast<std::size_t>(j)));
    }
  }
  return matrix;
}

}  // namespace kgate::tuner
