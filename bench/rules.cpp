#include "bench/rules.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "gate/stats/robust.h"

namespace kgate::bench {
namespace {

constexpr std::int64_t kFewSamples = 30;
constexpr double kLevel = 0.05, kThreshold = 0.05;
// nvbench-compare-robust's defaults.
constexpr double kClearGap = 0.005, kSameCenter = 0.005, kSameOverlap = 0.5, kSameDispersion = 0.02;

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double relative_deviation(const std::vector<double>& values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean;
}

struct Summary {
  double low = 0, center = 0, high = 0, dispersion = 0;
};

Summary summary_of(std::vector<double> values) {
  // The zero-based rank nearest to p (n - 1), as the project's pull request 348 describes its percentiles; each is
  // looked for on its own side of the median.
  const auto rank = [&](double p) { return values.begin() + std::lround(p * static_cast<double>(values.size() - 1)); };
  const auto first = rank(0.25), middle = rank(0.5), third = rank(0.75);
  std::nth_element(values.begin(), middle, values.end());
  std::nth_element(values.begin(), first, middle);
  std::nth_element(middle, third, values.end());
  return {*std::min_element(values.begin(), middle + 1), *middle, *third, (*third - *first) / *middle};
}

std::int64_t count_of(const Samples& samples) {
  return static_cast<std::int64_t>(std::max(samples.base_us.size(), samples.candidate_us.size()));
}

RuleSet nvbench_rules(Sampling sampling, const std::string& suffix) {
  return {{"nvbench legacy" + suffix, "nvbench robust" + suffix}, [sampling](Subject& subject) {
            const Samples samples = stdrel_samples(subject, sampling);
            return std::vector<Outcome>{{nvbench_legacy(samples), count_of(samples)},
                                        {nvbench_robust(samples), count_of(samples)}};
          }};
}

RuleSet fixed_rules(Sampling sampling, const std::string& suffix) {
  const auto test = std::make_shared<const MannWhitney>(kFewSamples, kFewSamples);
  return {{"Mann-Whitney 0.05" + suffix, "threshold 5 %" + suffix}, [sampling, test](Subject& subject) {
            const Samples samples = fixed_samples(subject, sampling, kFewSamples);
            return std::vector<Outcome>{{significantly_slower(*test, samples, kLevel), count_of(samples)},
                                        {over_threshold(samples, kThreshold), count_of(samples)}};
          }};
}

}  // namespace

Answer nvbench_legacy(const Samples& samples) {
  const double base = mean_of(samples.base_us), candidate = mean_of(samples.candidate_us);
  const double noise =
      std::min(relative_deviation(samples.base_us, base), relative_deviation(samples.candidate_us, candidate));
  const double difference = (candidate - base) / base;
  return std::abs(difference) > noise && difference > 0 ? Answer::block : Answer::pass;
}

Answer nvbench_robust(const Samples& samples) {
  const Summary base = summary_of(samples.base_us), candidate = summary_of(samples.candidate_us);
  if (candidate.low > base.high && (candidate.low - base.high) / base.high >= kClearGap) return Answer::block;
  if (candidate.high < base.low && (base.low - candidate.high) / candidate.high >= kClearGap) return Answer::pass;
  const double overlap = std::min(base.high, candidate.high) - std::max(base.low, candidate.low);
  const double narrower = std::min(base.high - base.low, candidate.high - candidate.low);
  const double apart = std::abs(candidate.center - base.center) / std::min(candidate.center, base.center);
  // An interval of one point overlaps wholly or not at all.
  const bool overlaps = narrower > 0 ? overlap >= kSameOverlap * narrower : overlap >= 0;
  const bool quiet = std::max(base.dispersion, candidate.dispersion) <= kSameDispersion;
  return quiet && apart <= kSameCenter && overlaps ? Answer::pass : Answer::undecided;
}

Answer significantly_slower(const MannWhitney& test, const Samples& samples, double level) {
  const double middle = static_cast<double>(samples.base_us.size() * samples.candidate_us.size()) / 2;
  if (test.u(samples.base_us, samples.candidate_us) <= middle) return Answer::pass;
  return test.p_value(samples.base_us, samples.candidate_us) < level ? Answer::block : Answer::pass;
}

Answer over_threshold(const Samples& samples, double threshold) {
  const double ratio = stats::quantile(samples.candidate_us, 0.5) / stats::quantile(samples.base_us, 0.5);
  return ratio > 1 + threshold ? Answer::block : Answer::pass;
}

stats::TrialOptions kgate_options(const NoiseModel& model) {
  stats::TrialOptions options;
  options.decision.error = 1e-3;
  options.decision.cases = 100;
  options.decision.zone = stats::zone_for({}, model.kernel_us);
  options.decision.round_spread = 0.0006;
  options.decision.resolution = model.resolution();
  options.max_rounds = 8;
  return options;
}

Outcome kgate_decides(Subject& subject) {
  stats::Trial trial(kgate_options(subject.model()));
  std::vector<double> log_ratios;
  while (trial.open() && trial.blocks() < kMostBlocks) {
    subject.start_process();
    if (subject.blocks_left() == 0) break;
    trial.start_round();
    while (const std::int64_t wanted =
               std::min({trial.wanted(), kMostBlocks - trial.blocks(), subject.blocks_left()})) {
      log_ratios.clear();
      for (std::int64_t i = 0; i < wanted; ++i) {
        const Block block = subject.block();
        log_ratios.push_back(std::log(block.candidate_us / block.base_us));
      }
      trial.add(log_ratios);
    }
    trial.conclude_round();
  }
  Outcome outcome{Answer::undecided, trial.blocks()};
  if (trial.finished()) {
    const bool slower = trial.decision().finding == stats::Finding::slower;
    outcome.answer = slower ? Answer::block : Answer::pass;
  }
  return outcome;
}

RuleSet kgate_rule() {
  return {{"kgate"}, [](Subject& subject) { return std::vector<Outcome>{kgate_decides(subject)}; }};
}

std::vector<RuleSet> all_rules() {
  return {kgate_rule(), nvbench_rules(Sampling::separate, ""), fixed_rules(Sampling::separate, ""),
          nvbench_rules(Sampling::interleaved, ", interleaved"), fixed_rules(Sampling::interleaved, ", interleaved")};
}

}  // namespace kgate::bench
