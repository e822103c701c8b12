#pragma once

#include <Eigen/Core>
#include <vector>

#include "gate/search/tuner/correlation.h"

namespace kgate::tuner {

// What a model says of candidates, in the unit of the values: without the noise of a measurement.
struct Prediction {
  Eigen::VectorXd mean, deviation;
};

// A Gaussian process's posterior over candidates, kept up to date point by point: with L the Cholesky factor of the
// points' correlations, the columns of `solved` are L^-1 k(points, candidate). A further point adds a row to both in
// O(n^2 + n candidates), where a new start costs O(n^3 + n^2 candidates): 500 points and 10,000 candidates are 5
// million steps instead of 2.5 billion. Values may differ from call to call; the factor does not depend on them.
class Posterior {
 public:
  Posterior(const std::vector<Distance>& distances, const Hyperparameters& hyperparameters, Points points,
            Points candidates);

  void add_point(const Configuration& configuration);
  void add_candidate(const Configuration& configuration);
  std::size_t points() const { return points_.size(); }
  std::size_t candidates() const { return candidates_.size(); }

  // `values` at the points, in their order; their mean and spread are taken out and put back. Those of the `pending`
  // points (not all of them) are not known, and not read: the mean is that of the others alone, the deviation that of
  // all, for it does not depend on values (Desautels, Krause and Burdick 2014, "Parallelizing exploration-exploitation
  // tradeoffs in Gaussian process bandit optimization", JMLR 15).
  Prediction predict(const Eigen::VectorXd& values, const std::vector<Eigen::Index>& pending = {}) const;

 private:
  auto factor() const { return factor_.topLeftCorner(rows(), rows()).triangularView<Eigen::Lower>(); }
  Eigen::Index rows() const { return static_cast<Eigen::Index>(points_.size()); }
  Eigen::Index columns() const { return static_cast<Eigen::Index>(candidates_.size()); }
  void believe(Eigen::VectorXd& values, const std::vector<Eigen::Index>& pending) const;
  void reserve(Eigen::Index rows, Eigen::Index columns);

  Correlation correlation_;
  double noise_;
  Points points_, candidates_;
  // With room for more. A row a point, so that a new point is written in one go; single precision halves the memory
  // that each suggestion goes through.
  Eigen::MatrixXd factor_;
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> solved_;
  Eigen::VectorXf explained_;  // squared norms of its columns: how much of a candidate's variance the points explain
};

}  // namespace kgate::tuner
