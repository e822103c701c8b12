#pragma once

#include <Eigen/Core>
#include <vector>

#include "gate/search/tuner/correlation.h"

namespace kgate::tuner {

// How well hyperparameters explain values at points: the log marginal likelihood of a Gaussian process with mean 0
// (Rasmussen and Williams 2006, 5.8 and 5.9) plus the log of their prior, up to a constant. The process's variance is
// put in at its best value, which has a closed form (as if two more values with variance 1 had been seen).
//
// The prior: log weights have mean 0 and standard deviation 1.5, the log noise ln 0.001 and 1; so that few values with
// many parameters do not end in weights of nothing or infinity.
class Evidence {
 public:
  // `values` should have mean 0 and variance about 1.
  Evidence(const std::vector<Distance>& distances, const Points& points, Eigen::VectorXd values);

  static Hyperparameters prior_mean(std::size_t distances);
  // Minus infinity where the correlations are not positive definite. `gradient`: by the log weights, then the log
  // noise.
  double operator()(const Hyperparameters& at, Eigen::VectorXd* gradient = nullptr) const;

 private:
  std::vector<Eigen::ArrayXXd> squared_;  // among the points, by distance
  Eigen::VectorXd values_;
};

// Climbs from `start` for so many gradients, and returns the best point seen on the way. Rprop without weight
// backtracking (Igel and Huesken 2000, "Improving the Rprop learning algorithm"), which needs no line search: the cost
// is the number of steps, each O(n^3 + n^2 distances).
Hyperparameters climb(const Evidence& evidence, const Hyperparameters& start, int steps);

// The value that the process's variance is put in with: `squares` is the squared norm of so many values, whitened by
// the Cholesky factor of their correlations.
double scale_of(double squares, Eigen::Index count);

}  // namespace kgate::tuner
