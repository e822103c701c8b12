#include "gate/stats/robust.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/philox.h"
#include "tests/support/catch.h"

using namespace kgate;

TEST_CASE("the trimmed mean of twenty values leaves out the two smallest and the two largest") {
  std::vector<double> samples;
  for (int i = 1; i <= 20; ++i) samples.push_back(i);
  samples[0] = -1e9;
  samples[19] = 1e9;
  const auto location = stats::trimmed_location(samples);
  CHECK(location.center == Approx(10.5));
  CHECK(location.freedom == 15);
  CHECK(stats::degrees_of_freedom(20) == 15);
}

TEST_CASE("independent samples get Yuen's error, widened by what so few of them cannot show of a correlation") {
  // An oracle of its own: sorted, winsorized by index, the correlation by its definition.
  RandomStream random(7, 1);
  std::vector<double> samples(200);
  for (auto& value : samples) value = random.uniform();
  auto sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  double mean = 0, squares = 0, products = 0;
  std::vector<double> winsorized;
  for (const double value : samples) winsorized.push_back(std::clamp(value, sorted[20], sorted[179]));
  for (const double value : winsorized) mean += value / 200;
  for (std::size_t i = 0; i < 200; ++i) {
    squares += (winsorized[i] - mean) * (winsorized[i] - mean);
    if (i > 0) products += (winsorized[i] - mean) * (winsorized[i - 1] - mean);
  }
  const double correlation = std::max(0.0, products / squares) + 1.25 / std::sqrt(200.0);
  const double yuen = std::sqrt(squares / (160.0 * 159.0));
  CHECK(stats::trimmed_location(samples).standard_error ==
        Approx(yuen * std::sqrt((1 + correlation) / (1 - correlation))).epsilon(1e-12));
}

TEST_CASE("the spread that an error stands for is the samples' own") {
  RandomStream random(17, 1);
  std::vector<double> samples(20000);
  for (auto& value : samples)
    value = 0.02 * std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307179586 * random.uniform());
  const auto location = stats::trimmed_location(samples);
  CHECK(stats::spread_of(location, 20000) == Approx(0.02).epsilon(0.05));
  CHECK(stats::expected_error(0.02, 20000) == Approx(location.standard_error).epsilon(0.05));
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
