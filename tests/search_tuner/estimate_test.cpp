#include "gate/search/tuner/estimate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/catch.h"

using namespace kgate::tuner;

namespace {

// By the trapezoidal rule over ten standard deviations each way.
double slowly(const Estimate& estimate, double best) {
  constexpr int kSteps = 200'000;
  constexpr double kReach = 10;
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double z = kReach * (2.0 * i / kSteps - 1);
    const double time = std::exp(estimate.log_time + estimate.deviation * z);
    const double weight = i == 0 || i == kSteps ? 0.5 : 1;
    sum += weight * std::max(0.0, 1 - time / best) * std::exp(-z * z / 2);
  }
  return sum * 2 * kReach / kSteps / std::sqrt(2 * std::numbers::pi);
}

}  // namespace

TEST_CASE("the expected gain is what numerical integration finds") {
  for (const double best : {0.5, 1.0, 40.0}) {
    for (const double ahead : {-0.5, -0.05, 0.0, 0.02, 0.7}) {
      for (const double deviation : {0.01, 0.1, 0.6}) {
        const Estimate estimate{std::log(best) - ahead, deviation};
        INFO("best " << best << ", ahead " << ahead << ", deviation " << deviation);
        CHECK(expected_gain(estimate, best) == Approx(slowly(estimate, best)).margin(1e-7));
      }
    }
  }
}

TEST_CASE("without doubt the expected gain is the gain, and never a loss") {
  CHECK(expected_gain({std::log(3.0), 0}, 4) == Approx(0.25));
  CHECK(expected_gain({std::log(5.0), 0}, 4) == 0);
  CHECK(expected_gain({std::log(1e300), 0.1}, 4) == 0);
}
