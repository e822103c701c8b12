#include "gate/stats/robust.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/philox.h"
#include "tests/support/catch.h"

using namespace kgate;

TEST_CASE("the trimmed mean of twenty values leaves out the four smallest and the four largest") {
  std::vector<double> samples;
  for (int i = 1; i <= 20; ++i) samples.push_back(i);
  samples[0] = -1e9;
  samples[19] = 1e9;
  const auto location = stats::trimmed_location(samples);
  CHECK(location.center == Approx(10.5));
  // Winsorized: 5 five times, 6 .. 15, 16 five times. Sum of squares about 10.5 is 385; Yuen's error is sqrt(385 / (12
  // * 11)).
  CHECK(location.freedom == 11);
  CHECK(location.standard_error > std::sqrt(385.0 / (12 * 11)) * 0.999);
}

TEST_CASE("independent samples get Yuen's error to the last digit") {
  RandomStream random(7, 1);
  std::vector<double> samples(200);
  for (auto& value : samples) value = random.uniform();
  auto sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  double mean = 0, squares = 0;
  std::vector<double> winsorized;
  for (std::size_t i = 0; i < 200; ++i) winsorized.push_back(sorted[std::clamp<std::size_t>(i, 40, 159)]);
  for (const double value : winsorized) mean += value / 200;
  for (const double value : winsorized) squares += (value - mean) * (value - mean);
  CHECK(stats::trimmed_location(samples).standard_error == Approx(std::sqrt(squares / (120.0 * 119.0))).epsilon(1e-12));
}

TEST_CASE("samples that follow their neighbours get a wider error than the same samples shuffled") {
  RandomStream random(3, 1);
  std::vector<double> samples(400);
  double state = 0;
  for (auto& value : samples) value = state = 0.7 * state + random.uniform() - 0.5;
  const double ordered = stats::trimmed_location(samples).standard_error;
  random.shuffle(samples);
  CHECK(ordered > 1.8 * stats::trimmed_location(samples).standard_error);
}

TEST_CASE("one sample tells nothing about its error") {
  const std::vector<double> one{1.0};
  CHECK(stats::trimmed_location(one).standard_error == std::numeric_limits<double>::infinity());
  CHECK(stats::trimmed_location({}).standard_error == std::numeric_limits<double>::infinity());
}

TEST_CASE("quantiles interpolate between the order statistics") {
  const std::vector<double> samples{4, 1, 3, 2};
  CHECK(stats::quantile(samples, 0) == 1);
  CHECK(stats::quantile(samples, 1) == 4);
  CHECK(stats::quantile(samples, 0.5) == Approx(2.5));
  CHECK(std::isnan(stats::quantile({}, 0.5)));
}
