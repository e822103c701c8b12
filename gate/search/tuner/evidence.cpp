#include "gate/search/tuner/evidence.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace kgate::tuner {
namespace {

constexpr double kWeightSpread = 1.5, kNoiseSpread = 1;
const double kNoiseMean = std::log(1e-3);
constexpr double kSeen = 2;  // values with variance 1 that count as seen
// A weight of exp(-9) makes no difference, one of exp(5) parts everything; noise that is the whole variance is enough.
constexpr double kLeast = -9, kMostWeight = 5, kMostNoise = 0;
constexpr double kFirstStep = 0.3, kLeastStep = 1e-3, kMostStep = 1, kFaster = 1.2, kSlower = 0.5;

double square(double x) {
  return x * x;
}

}  // namespace

double scale_of(double squares, Eigen::Index count) {
  return (squares + kSeen) / (static_cast<double>(count) + kSeen);
}

Evidence::Evidence(const std::vector<Distance>& distances, const Points& points, Eigen::VectorXd values)
    : values_(std::move(values)) {
  const auto n = static_cast<Eigen::Index>(points.size());
  for (const Distance& distance : distances) {
    const auto& codes = points.codes(distance.parameter);
    Eigen::ArrayXXd squared(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
      const double* const column = distance.squared.col(codes[static_cast<std::size_t>(j)]).data();
      for (Eigen::Index i = 0; i < n; ++i) squared(i, j) = column[codes[static_cast<std::size_t>(i)]];
    }
    squared_.push_back(std::move(squared));
  }
}

Hyperparameters Evidence::prior_mean(std::size_t distances) {
  return {Eigen::VectorXd::Zero(static_cast<Eigen::Index>(distances)), kNoiseMean};
}

double Evidence::operator()(const Hyperparameters& at, Eigen::VectorXd* gradient) const {
  const Eigen::Index n = values_.size(), weights = at.log_weights.size();
  const double noise = std::exp(at.log_noise);
  Eigen::ArrayXXd sum = Eigen::ArrayXXd::Zero(n, n);
  for (Eigen::Index i = 0; i < weights; ++i) sum += std::exp(at.log_weights[i]) * squared_[static_cast<std::size_t>(i)];
  Eigen::MatrixXd correlations = matern(sum).matrix();
  correlations.diagonal().array() += noise;
  const Eigen::LLT<Eigen::MatrixXd> factor(correlations);
  if (factor.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();
  const Eigen::VectorXd whitened = factor.matrixL().solve(values_);
  const double scale = scale_of(whitened.squaredNorm(), n);
  const double log_determinant = 2 * factor.matrixLLT().diagonal().array().log().sum();
  const double prior = -0.5 * at.log_weights.squaredNorm() / square(kWeightSpread) -
                       0.5 * square((at.log_noise - kNoiseMean) / kNoiseSpread);
  if (gradient != nullptr) {
    const Eigen::VectorXd solved = factor.matrixU().solve(whitened);
    const Eigen::MatrixXd slope = solved * solved.transpose() / scale - factor.solve(Eigen::MatrixXd::Identity(n, n));
    const Eigen::ArrayXXd by_square = slope.array() * matern_derivative(sum);
    gradient->resize(weights + 1);
    for (Eigen::Index i = 0; i < weights; ++i) {
      (*gradient)[i] = 0.5 * std::exp(at.log_weights[i]) * (by_square * squared_[static_cast<std::size_t>(i)]).sum() -
                       at.log_weights[i] / square(kWeightSpread);
    }
    (*gradient)[weights] = 0.5 * noise * slope.trace() - (at.log_noise - kNoiseMean) / square(kNoiseSpread);
  }
  return -0.5 * (static_cast<double>(n) + kSeen) * std::log(scale) - 0.5 * log_determinant + prior;
}

Hyperparameters climb(const Evidence& evidence, const Hyperparameters& start, int steps) {
  Hyperparameters at = start, best = start;
  double highest = -std::numeric_limits<double>::infinity();
  const Eigen::Index size = at.log_weights.size() + 1;
  Eigen::VectorXd step = Eigen::VectorXd::Constant(size, kFirstStep), before = Eigen::VectorXd::Zero(size), gradient;
  for (int taken = 0; taken < steps; ++taken) {
    const double height = evidence(at, &gradient);
    if (!std::isfinite(height)) break;
    if (height > highest) {
      highest = height;
      best = at;
    }
    for (Eigen::Index i = 0; i < size; ++i) {
      const double same = gradient[i] * before[i];
      if (same > 0) step[i] = std::min(step[i] * kFaster, kMostStep);
      if (same < 0) {
        step[i] = std::max(step[i] * kSlower, kLeastStep);
        gradient[i] = 0;
      }
      const double move = gradient[i] > 0 ? step[i] : gradient[i] < 0 ? -step[i] : 0;
      double& value = i + 1 < size ? at.log_weights[i] : at.log_noise;
      value = std::clamp(value + move, kLeast, i + 1 < size ? kMostWeight : kMostNoise);
    }
    before = gradient;
  }
  return best;
}

}  // namespace kgate::tuner
