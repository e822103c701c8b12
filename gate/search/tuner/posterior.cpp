#include "gate/search/tuner/posterior.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "gate/search/tuner/evidence.h"

namespace kgate::tuner {
namespace {

constexpr double kLeastVariance = 1e-7;  // below it single precision knows nothing

}  // namespace

Posterior::Posterior(const std::vector<Distance>& distances, const Hyperparameters& hyperparameters, Points points,
                     Points candidates)
    : correlation_(distances, hyperparameters, points.parameters()),
      noise_(std::exp(hyperparameters.log_noise)),
      points_(std::move(points)),
      candidates_(std::move(candidates)) {
  reserve(rows() + rows() / 4 + 16, columns());
  Eigen::MatrixXd correlations = correlation_.matrix(points_);
  correlations.diagonal().array() += noise_;
  factor_.topLeftCorner(rows(), rows()) = correlations.llt().matrixL();
  for (Eigen::Index i = 0; i < rows(); ++i) {
    solved_.row(i).head(columns()) =
        correlation_.roughly_with(points_.at(static_cast<std::size_t>(i)), candidates_).transpose();
  }
  auto solved = solved_.topLeftCorner(rows(), columns());
  Eigen::MatrixXf(factor_.topLeftCorner(rows(), rows()).cast<float>())
      .triangularView<Eigen::Lower>()
      .solveInPlace(solved);
  explained_.head(columns()) = solved.colwise().squaredNorm().transpose();
}

void Posterior::reserve(Eigen::Index rows, Eigen::Index columns) {
  if (rows > factor_.rows()) factor_.conservativeResize(rows, rows);
  if (rows <= solved_.rows() && columns <= solved_.cols()) return;
  solved_.conservativeResize(std::max(rows, solved_.rows()), std::max(columns, solved_.cols()));
  explained_.conservativeResize(solved_.cols());
}

void Posterior::add_point(const Configuration& configuration) {
  const Eigen::Index n = rows();
  if (n == factor_.rows()) reserve(2 * n + 16, columns());
  const Eigen::VectorXd row = factor().solve(correlation_.with(configuration, points_));
  const double pivot = std::sqrt(std::max(1 + noise_ - row.squaredNorm(), noise_ / 2));
  const Eigen::VectorXf known = solved_.topLeftCorner(n, columns()).transpose() * row.cast<float>().eval();
  const Eigen::VectorXf added =
      (correlation_.roughly_with(configuration, candidates_) - known) / static_cast<float>(pivot);
  factor_.row(n).head(n) = row.transpose();
  factor_(n, n) = pivot;
  solved_.row(n).head(columns()) = added.transpose();
  explained_.head(columns()) += added.cwiseAbs2();
  points_.add(configuration);
}

void Posterior::add_candidate(const Configuration& configuration) {
  const Eigen::Index column = columns();
  if (column == solved_.cols()) reserve(rows(), column + column / 2 + 64);
  const Eigen::VectorXf solved = factor().solve(correlation_.with(configuration, points_)).cast<float>();
  solved_.col(column).head(rows()) = solved;
  explained_[column] = solved.squaredNorm();
  candidates_.add(configuration);
}

// Sets the pending values to what the others make the model expect there: those for which K^-1 values is 0 at the
// pending points, with K = L L^T all correlations.
void Posterior::believe(Eigen::VectorXd& values, const std::vector<Eigen::Index>& pending) const {
  if (pending.empty()) return;
  const auto count = static_cast<Eigen::Index>(pending.size());
  Eigen::MatrixXd units = Eigen::MatrixXd::Zero(rows(), count);
  for (Eigen::Index i = 0; i < count; ++i) {
    units(pending[static_cast<std::size_t>(i)], i) = 1;
    values[pending[static_cast<std::size_t>(i)]] = 0;
  }
  const Eigen::MatrixXd whitened = factor().solve(units);
  const Eigen::MatrixXd inverse = whitened.transpose() * whitened;  // of K, at the pending points
  values -= units * inverse.llt().solve(whitened.transpose() * factor().solve(values));
}

Prediction Posterior::predict(const Eigen::VectorXd& values, const std::vector<Eigen::Index>& pending) const {
  Eigen::ArrayXd is_known = Eigen::ArrayXd::Ones(rows());
  for (const Eigen::Index one : pending) is_known[one] = 0;
  const double known = is_known.sum();
  const double center = (is_known > 0).select(values.array(), 0).sum() / known;
  const Eigen::ArrayXd centered = (is_known > 0).select(values.array() - center, 0);
  const double spread = std::sqrt(centered.square().sum() / known);
  const double unit = spread > 0 ? spread : 1;
  Eigen::VectorXd scaled = (centered / unit).matrix();
  believe(scaled, pending);
  const Eigen::VectorXd whitened = factor().solve(scaled);
  const double scale = scale_of(whitened.squaredNorm(), static_cast<Eigen::Index>(known));
  const Eigen::VectorXf mean = solved_.topLeftCorner(rows(), columns()).transpose() * whitened.cast<float>().eval();
  const Eigen::ArrayXd unexplained = 1 - explained_.head(columns()).cast<double>().array();
  return {(mean.cast<double>().array() * unit + center).matrix(),
          ((unexplained.max(kLeastVariance) * scale).sqrt() * unit).matrix()};
}

}  // namespace kgate::tuner
