#include "gate/search/tuner/correlation.h"

#include <cmath>

namespace kgate::tuner {
namespace {

template <typename Squared>
auto matern_of(const Squared& squared) {
  using Scalar = typename Squared::Scalar;
  const typename Squared::PlainObject r = (Scalar(5) * squared).sqrt();
  return ((Scalar(1) + r + r.square() / Scalar(3)) * (-r).exp()).eval();
}

template <typename Scalar>
using Column = Eigen::Array<Scalar, Eigen::Dynamic, 1>;

template <typename Scalar>
Column<Scalar> correlations(const std::vector<Eigen::MatrixXd>& squared, const Configuration& configuration,
                            const Points& points) {
  Column<Scalar> sum = Column<Scalar>::Zero(static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < squared.size(); ++i) {
    if (squared[i].size() == 0) continue;
    const Column<Scalar> from = squared[i].col(configuration[i]).template cast<Scalar>();  // symmetric
    const std::uint16_t* const codes = points.codes(i).data();
    for (Eigen::Index k = 0; k < sum.size(); ++k) sum[k] += from[codes[k]];
  }
  return matern_of(sum);
}

}  // namespace

Eigen::ArrayXXd matern(const Eigen::ArrayXXd& squared) {
  return matern_of(squared);
}

Eigen::ArrayXXd matern_derivative(const Eigen::ArrayXXd& squared) {
  const Eigen::ArrayXXd r = (5 * squared).sqrt();
  return -5.0 / 6 * (1 + r) * (-r).exp();
}

Correlation::Correlation(const std::vector<Distance>& distances, const Hyperparameters& hyperparameters,
                         std::size_t parameters)
    : squared_(parameters) {
  for (std::size_t i = 0; i < distances.size(); ++i) {
    Eigen::MatrixXd& sum = squared_[distances[i].parameter];
    const double weight = std::exp(hyperparameters.log_weights[static_cast<Eigen::Index>(i)]);
    if (sum.size() == 0) sum.setZero(distances[i].squared.rows(), distances[i].squared.cols());
    sum += weight * distances[i].squared;
  }
}

Eigen::VectorXd Correlation::with(const Configuration& configuration, const Points& points) const {
  return correlations<double>(squared_, configuration, points).matrix();
}

Eigen::VectorXf Correlation::roughly_with(const Configuration& configuration, const Points& points) const {
  return correlations<float>(squared_, configuration, points).matrix();
}

Eigen::MatrixXd Correlation::matrix(const Points& points) const {
  const auto n = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd matrix(n, n);
  for (Eigen::Index i = 0; i < n; ++i) matrix.col(i) = with(points.at(static_cast<std::size_t>(i)), points);
  return matrix;
}

}  // namespace kgate::tuner
