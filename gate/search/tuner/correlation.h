#pragma once

#include <Eigen/Core>
#include <vector>

#include "gate/search/tuner/distance.h"
#include "gate/search/tuner/points.h"

namespace kgate::tuner {

// What the data decide about the model.
struct Hyperparameters {
  Eigen::VectorXd log_weights;  // of the distances, in their order: large where a step changes much
  double log_noise = 0;         // variance of what a measurement shows beyond the function, over the function's own
};

// Matern's correlation with smoothness 5/2, of squared distances, and its derivative by them (Rasmussen and Williams
// 2006, "Gaussian Processes for Machine Learning", 4.17).
Eigen::ArrayXXd matern(const Eigen::ArrayXXd& squared);
Eigen::ArrayXXd matern_derivative(const Eigen::ArrayXXd& squared);

// How alike the times of two configurations are expected to be: Matern 5/2 of their weighted squared distance.
class Correlation {
 public:
  Correlation(const std::vector<Distance>& distances, const Hyperparameters& hyperparameters, std::size_t parameters);

  // Of one configuration with each of the points.
  Eigen::VectorXd with(const Configuration& configuration, const Points& points) const;
  // The same in single precision, four times as fast: for candidates, of which there are thousands.
  Eigen::VectorXf roughly_with(const Configuration& configuration, const Points& points) const;
  // Among the points.
  Eigen::MatrixXd matrix(const Points& points) const;

 private:
  std::vector<Eigen::MatrixXd> squared_;  // weighted, by parameter; empty where it has one value
};

}  // namespace kgate::tuner
