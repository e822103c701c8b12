#include "gate/search/tuner/posterior.h"

#include <Eigen/LU>
#include <cmath>

#include "tests/search_tuner/points_fixture.h"
#include "tests/support/catch.h"

using namespace kgate::tuner;

namespace {

// The textbook's formulas with the inverse of the whole matrix.
Prediction slowly(const Sample& sample, const Points& points, const Eigen::VectorXd& values, const Points& candidates) {
  const auto n = static_cast<double>(points.size());
  const double center = values.mean(), spread = std::sqrt((values.array() - center).square().sum() / n);
  Eigen::MatrixXd all = correlations_by_hand(sample, points, points);
  all.diagonal().array() += std::exp(sample.hyperparameters.log_noise);
  const Eigen::MatrixXd inverse = all.inverse(), with = correlations_by_hand(sample, points, candidates);
  const Eigen::VectorXd scaled = (values.array() - center) / spread;
  const double scale = (scaled.dot(inverse * scaled) + 2) / (n + 2);
  Prediction prediction{(with.transpose() * inverse * scaled * spread).array() + center, with.row(0)};
  for (Eigen::Index j = 0; j < with.cols(); ++j)
    prediction.deviation[j] = spread * std::sqrt(scale * (1 - with.col(j).dot(inverse * with.col(j))));
  return prediction;
}

void check_equal(const Prediction& one, const Prediction& other) {
  REQUIRE(one.mean.size() == other.mean.size());
  for (Eigen::Index i = 0; i < one.mean.size(); ++i) {
    CHECK(one.mean[i] == Approx(other.mean[i]).epsilon(1e-4));
    CHECK(one.deviation[i] == Approx(other.deviation[i]).epsilon(1e-3));
  }
}

Points first(const Points& points, std::size_t count) {
  Points some(points.parameters());
  for (std::size_t i = 0; i < count; ++i) some.add(points.at(i));
  return some;
}

}  // namespace

TEST_CASE("a posterior is that of the textbook with the whole inverse") {
  const Sample sample(14);
  const Posterior posterior(sample.distances, sample.hyperparameters, sample.points, sample.others);
  check_equal(posterior.predict(sample.values), slowly(sample, sample.points, sample.values, sample.others));
}

TEST_CASE("points and candidates that come one by one make the same posterior as all at once") {
  const Sample sample(20);
  Posterior grown(sample.distances, sample.hyperparameters, first(sample.points, 1), first(sample.others, 1));
  for (std::size_t i = 1; i < sample.points.size(); ++i) {
    grown.add_point(sample.points.at(i));
    if (i < sample.others.size()) grown.add_candidate(sample.others.at(i));
  }
  REQUIRE(grown.points() == 20);
  REQUIRE(grown.candidates() == 10);
  check_equal(grown.predict(sample.values), slowly(sample, sample.points, sample.values, sample.others));
}

TEST_CASE("a pending point's value counts for nothing, yet its surroundings are known better") {
  const Sample sample(12);
  const Posterior posterior(sample.distances, sample.hyperparameters, sample.points, sample.others);
  const Points known = first(sample.points, 9);
  const Prediction without = slowly(sample, known, sample.values.head(9), sample.others);
  Eigen::VectorXd values = sample.values;
  values.tail(3).setConstant(1e6);
  const Prediction prediction = posterior.predict(values, {9, 10, 11});
  for (Eigen::Index i = 0; i < prediction.mean.size(); ++i) {
    CHECK(prediction.mean[i] == Approx(without.mean[i]).epsilon(1e-4));
    CHECK(prediction.deviation[i] <= without.deviation[i] * 1.0001);
  }
  CHECK(prediction.deviation.sum() < 0.99 * without.deviation.sum());
}

TEST_CASE("equal values are predicted as that value, without an error") {
  Sample sample(6);
  sample.values.setConstant(4);
  const Posterior posterior(sample.distances, sample.hyperparameters, sample.points, sample.others);
  const Prediction prediction = posterior.predict(sample.values);
  for (Eigen::Index i = 0; i < prediction.mean.size(); ++i) {
    CHECK(prediction.mean[i] == Approx(4));
    CHECK(std::isfinite(prediction.deviation[i]));
    CHECK(prediction.deviation[i] > 0);
  }
}
