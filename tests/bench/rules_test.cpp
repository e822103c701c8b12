#include "bench/rules.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::bench;

namespace {

struct Row {
  std::string what;
  std::vector<double> base_us, candidate_us;
  Answer answer;
};

}  // namespace

TEST_CASE("nvbench's legacy rule blocks what is slower by more than the smaller relative deviation") {
  const std::vector<double> quiet{9.9, 10.0, 10.1};  // 1 %
  for (const auto& row : std::vector<Row>{
           {"alike", quiet, quiet, Answer::pass},
           {"0.5 % slower", quiet, {9.95, 10.05, 10.15}, Answer::pass},
           {"2 % slower", quiet, {10.1, 10.2, 10.3}, Answer::block},
           {"2 % faster", quiet, {9.7, 9.8, 9.9}, Answer::pass},
           {"3 % slower, the candidate ten times as noisy", quiet, {9.3, 10.3, 11.3}, Answer::block},
           {"3 % slower, both as noisy as that", {9.0, 10.0, 11.0}, {9.3, 10.3, 11.3}, Answer::pass},
       }) {
    INFO(row.what);
    CHECK(nvbench_legacy({row.base_us, row.candidate_us}) == row.answer);
  }
}

TEST_CASE("nvbench's robust rule wants intervals apart by half a percent to block, and quiet alike ones to pass") {
  // Minimum 10, median 10.04, third quartile 10.06.
  const std::vector<double> quiet{10, 10.02, 10.04, 10.06, 11};
  for (const auto& row : std::vector<Row>{
           {"alike", quiet, quiet, Answer::pass},
           {"medians 0.6 % apart", quiet, {10.05, 10.08, 10.101, 10.12, 11}, Answer::undecided},
           {"medians 0.4 % apart, with little overlap", quiet, {10.05, 10.07, 10.08, 10.1, 11}, Answer::undecided},
           {"a gap of 0.4 %", quiet, {10.1003, 10.2, 10.2, 10.2, 10.2}, Answer::undecided},
           {"a gap of 0.6 %", quiet, {10.1204, 10.2, 10.2, 10.2, 10.2}, Answer::block},
           {"faster by a gap of 1 %", quiet, {9.8, 9.85, 9.86, 9.9, 10.5}, Answer::pass},
           {"alike, with quartiles 4 % apart", {10, 10, 10.2, 10.4, 11}, {10, 10, 10.2, 10.4, 11}, Answer::undecided},
           {"all samples the same", {10, 10, 10, 10, 10}, {10, 10, 10, 10, 10}, Answer::pass},
       }) {
    INFO(row.what);
    CHECK(nvbench_robust({row.base_us, row.candidate_us}) == row.answer);
  }
}

TEST_CASE("the test of significance blocks slower alone, however little, and the threshold 5 % alone") {
  const std::vector<double> base{1, 2, 3, 4, 5}, above{5.5, 6, 7, 8, 9}, mixed{1.5, 2.5, 3.5, 4.5, 5.5};
  const MannWhitney test(5, 5);
  CHECK(significantly_slower(test, {base, above}, 0.05) == Answer::block);
  CHECK(significantly_slower(test, {above, base}, 0.05) == Answer::pass);
  CHECK(significantly_slower(test, {base, mixed}, 0.05) == Answer::pass);
  CHECK(over_threshold({{10, 10, 30}, {10.49, 10.49, 10.49}}, 0.05) == Answer::pass);
  CHECK(over_threshold({{10, 10, 30}, {10.51, 10.51, 1}}, 0.05) == Answer::block);
}

TEST_CASE(
    "nvbench's stopping criterion waits for ten samples, half a second and a deviation that is small or settled") {
  const auto samples_of = [](double sample_us, double deviation) {
    StopAtRelativeDeviation stop(sample_us);
    std::int64_t count = 0;
    while (!stop.finished()) stop.add(10 * (1 + (++count % 2 == 0 ? deviation : -deviation)));
    return count;
  };
  CHECK(samples_of(1e6, 0.001) == 10);
  CHECK(samples_of(384, 0.001) == 1303);
  CHECK(samples_of(384, 0.1) == 1303);  // settled long ago
  CHECK(samples_of(7, 0.001) == StopAtRelativeDeviation::kMostSamples);
  const std::int64_t settling = samples_of(1e6, 0.1);
  CHECK(settling > 64);
  CHECK(settling < 100);
}

TEST_CASE("arms in separate processes and interleaved ones are measured as often as they should be") {
  const auto models = noise_models();
  for (const Sampling sampling : {Sampling::separate, Sampling::interleaved}) {
    Random random(1, 0);
    Subject subject(models.front(), 0, random);
    const Samples samples = fixed_samples(subject, sampling, 30);
    CHECK(samples.base_us.size() == 30);
    CHECK(samples.candidate_us.size() == 30);
  }
}

TEST_CASE("kgate's rule is asked as the gate asks it, with the model's own clock") {
  const auto models = noise_models();
  const auto ticks = std::find_if(models.begin(), models.end(), [](const auto& m) { return m.launches == 1; });
  REQUIRE(ticks != models.end());
  const stats::TrialOptions options = kgate_options(*ticks);
  CHECK(options.decision.resolution == 0.032 / 7);
  CHECK(options.decision.error / static_cast<double>(options.decision.cases) == 1e-5);
  CHECK(options.decision.zone.tolerate == 0.005);
  CHECK(options.decision.zone.block == 0.02);
  CHECK(options.max_rounds == 8);
}
