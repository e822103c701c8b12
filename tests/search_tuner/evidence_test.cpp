#include "gate/search/tuner/evidence.h"

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "tests/search_tuner/points_fixture.h"
#include "tests/support/catch.h"

using namespace kgate::tuner;

namespace {

Eigen::VectorXd standardised(const Eigen::VectorXd& values) {
  const Eigen::ArrayXd centered = values.array() - values.mean();
  return centered / std::sqrt(centered.square().mean());
}

// Log of the marginal likelihood and the prior, with determinant and inverse of the whole matrix.
double slowly(const Sample& sample, const Eigen::VectorXd& y) {
  Eigen::MatrixXd all = correlations_by_hand(sample, sample.points, sample.points);
  all.diagonal().array() += std::exp(sample.hyperparameters.log_noise);
  const auto n = static_cast<double>(y.size());
  const double scale = (y.dot(all.inverse() * y) + 2) / (n + 2);
  const double noise = sample.hyperparameters.log_noise - std::log(0.001);
  return -0.5 * (n + 2) * std::log(scale) - 0.5 * std::log(all.determinant()) -
         0.5 * sample.hyperparameters.log_weights.squaredNorm() / 2.25 - 0.5 * noise * noise;
}

}  // namespace

TEST_CASE("the evidence is that of the textbook with the whole inverse") {
  const Sample sample(15);
  const Eigen::VectorXd y = standardised(sample.values);
  CHECK(Evidence(sample.distances, sample.points, y)(sample.hyperparameters) == Approx(slowly(sample, y)));
}

TEST_CASE("the evidence's gradient is what small differences show") {
  const Sample sample(15);
  const Evidence evidence(sample.distances, sample.points, standardised(sample.values));
  Eigen::VectorXd gradient;
  evidence(sample.hyperparameters, &gradient);
  REQUIRE(gradient.size() == sample.hyperparameters.log_weights.size() + 1);
  constexpr double kStep = 1e-5;
  for (Eigen::Index i = 0; i < gradient.size(); ++i) {
    const auto moved = [&](double by) {
      Hyperparameters at = sample.hyperparameters;
      (i + 1 < gradient.size() ? at.log_weights[i] : at.log_noise) += by;
      return evidence(at);
    };
    CHECK(gradient[i] == Approx((moved(kStep) - moved(-kStep)) / (2 * kStep)).epsilon(1e-4).margin(1e-6));
  }
}

TEST_CASE("a climb ends where no smaller and no larger weight is better") {
  Sample sample(24);
  // The block matters, the layout does not.
  for (std::size_t i = 0; i < sample.points.size(); ++i)
    sample.values[static_cast<Eigen::Index>(i)] = std::cos(1.5 * sample.points.codes(0)[i]);
  const Evidence evidence(sample.distances, sample.points, standardised(sample.values));
  const Hyperparameters start = Evidence::prior_mean(sample.distances.size());
  const Hyperparameters top = climb(evidence, start, 200);
  CHECK(evidence(top) > evidence(start) + 1);
  for (Eigen::Index i = 0; i < top.log_weights.size(); ++i) {
    for (const double step : {-0.1, 0.1}) {
      Hyperparameters beside = top;
      beside.log_weights[i] += step;
      CHECK(evidence(beside) <= evidence(top) + 1e-3);
    }
  }
  double block = 0, layout = 0;
  for (std::size_t i = 0; i < sample.distances.size(); ++i) {
    double& sum = sample.distances[i].parameter == 0 ? block : layout;
    sum = std::max(sum, std::exp(top.log_weights[static_cast<Eigen::Index>(i)]));
  }
  CHECK(block > 5 * layout);
}

TEST_CASE("a climb without steps stays where it is") {
  const Sample sample(5);
  const Evidence evidence(sample.distances, sample.points, standardised(sample.values));
  CHECK(climb(evidence, sample.hyperparameters, 0).log_weights == sample.hyperparameters.log_weights);
}
