#include "bench/noise.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/subject.h"
#include "gate/stats/robust.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::bench;

namespace {

NoiseModel model_named(const std::string& name) {
  for (auto& model : noise_models()) {
    if (model.name == name) return model;
  }
  FAIL("no model " << name);
  return {};
}

struct Series {
  std::vector<double> base, log_ratios;
};

// Blocks of `processes` processes of one trial.
Series blocks_of(const NoiseModel& model, int processes, int blocks, double effect = 0) {
  Random random(7, 0);
  Subject subject(model, effect, random);
  Series series;
  for (int i = 0; i < processes; ++i) {
    subject.start_process();
    for (int k = 0; k < blocks; ++k) {
      const Block block = subject.block();
      series.base.push_back(block.base_us);
      series.log_ratios.push_back(std::log(block.candidate_us / block.base_us));
    }
  }
  return series;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  double squares = 0;
  const double middle = mean(values);
  for (const double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double neighbours(const std::vector<double>& values) {
  double both = 0, one = 0;
  const double middle = mean(values);
  for (std::size_t i = 1; i < values.size(); ++i) {
    both += (values[i] - middle) * (values[i - 1] - middle);
    one += (values[i] - middle) * (values[i] - middle);
  }
  return both / one;
}

bool near(double value, double expected, double share) {
  return std::abs(value - expected) <= share * expected;
}

}  // namespace

TEST_CASE("the ratio of a block spreads as the model says") {
  CHECK(near(deviation(blocks_of(model_named("normal 0.3 %"), 1, 20000).log_ratios), 0.003, 0.03));
  CHECK(near(deviation(blocks_of(model_named("normal 1 %"), 1, 20000).log_ratios), 0.01, 0.03));
  CHECK(near(deviation(blocks_of(model_named("normal 5 %"), 1, 20000).log_ratios), 0.05, 0.03));
  // Heavy tails: the standard deviation itself is known badly.
  CHECK(near(deviation(blocks_of(model_named("student t3"), 1, 100000).log_ratios), 0.01, 0.1));
  // sqrt(0.95 + 0.05 * 100) = 2.44 times the quiet spread.
  CHECK(near(deviation(blocks_of(model_named("contaminated"), 1, 50000).log_ratios), 0.0244, 0.05));
}

TEST_CASE("no model has a difference between the arms, and a planted one comes out whole") {
  for (const auto& model : noise_models()) {
    for (const double effect : {0.0, 0.02}) {
      const Series series = blocks_of(model, 400, 25, effect);
      const double error = deviation(series.log_ratios) / std::sqrt(10000.0);
      INFO(model.name << " " << effect << " " << mean(series.log_ratios) << " +- " << error);
      // Five errors of the mean, three times as much where neighbours correlate or processes differ; and a tick.
      CHECK(std::abs(mean(series.log_ratios) - std::log1p(effect)) < 15 * error + model.resolution());
    }
  }
}

TEST_CASE("neighbouring blocks correlate as the model says, and others do not") {
  for (const auto& [name, correlation] : std::vector<std::pair<std::string, double>>{
           {"normal 1 %", 0}, {"correlated 0.2", 0.2}, {"correlated 0.3", 0.3}, {"correlated 0.6", 0.6}}) {
    const Series series = blocks_of(model_named(name), 1, 20000);
    INFO(name);
    CHECK(std::abs(neighbours(series.log_ratios) - correlation) < 0.03);
    CHECK(near(deviation(series.log_ratios), 0.01, 0.05));
  }
}

TEST_CASE("drift moves both arms by some percent and their ratio hardly") {
  const Series series = blocks_of(model_named("drift"), 1, 800);
  const double low = *std::min_element(series.base.begin(), series.base.end());
  const double high = *std::max_element(series.base.begin(), series.base.end());
  CHECK(high / low > 1.045);
  CHECK(high / low < 1.085);
  CHECK(deviation(series.log_ratios) < 0.0035);
}

TEST_CASE("a clock's states are 3 % apart and reach one arm alone in a tenth of the blocks") {
  const Series series = blocks_of(model_named("clock states"), 1, 20000);
  double changed = 0;
  for (const double ratio : series.log_ratios) changed += std::abs(ratio) > 0.015 ? 1 : 0;
  CHECK(near(changed, 2000, 0.1));
  CHECK(near(std::log(stats::quantile(series.base, 0.9) / stats::quantile(series.base, 0.1)), 0.03, 0.15));
}

TEST_CASE("bursts slow one arm in a seventh of the blocks, by up to 30 %, either arm alike") {
  const Series series = blocks_of(model_named("bursts"), 1, 20000);
  double slower = 0, faster = 0, most = 0;
  for (const double ratio : series.log_ratios) {
    slower += ratio > 0.012 ? 1 : 0;
    faster += ratio < -0.012 ? 1 : 0;
    most = std::max(most, std::abs(ratio));
  }
  CHECK(near(slower + faster, 20000 * 0.138, 0.05));  // the weakest 4 % of the bursts are not to be seen
  CHECK(near(slower, faster, 0.1));
  CHECK(most < std::log(1.32));
}

TEST_CASE("times of single launches are whole ticks") {
  for (const double us : blocks_of(model_named("ticks 0.3 %"), 1, 100).base)
    CHECK(std::abs(us / 0.032 - std::round(us / 0.032)) < 1e-6);
}

TEST_CASE("processes differ as the model says, each within itself as quiet as before") {
  const Series series = blocks_of(model_named("processes 0.1 %"), 400, 100);
  std::vector<double> means;
  for (std::size_t i = 0; i < 400; ++i) {
    const auto begin = series.log_ratios.begin() + static_cast<std::ptrdiff_t>(100 * i);
    means.push_back(mean({begin, begin + 100}));
  }
  CHECK(near(deviation(means), std::sqrt(0.001 * 0.001 + 0.0003 * 0.0003), 0.12));
}
