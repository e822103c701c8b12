#include "gate/verdict/noise/noise_summary.h"

#include <algorithm>
#include <cmath>

#include "gate/stats/robust.h"
#include "gate/stats/spread.h"
#include "gate/verdict/timing/machine_record.h"

namespace kgate::verdict {
namespace {

constexpr double kSeenInMostRuns = 2.33;  // standard errors: 99 of 100 runs

// What a case is judged by.
struct Machine {
  const trust::Budget* budget = nullptr;
  std::int64_t cases = 1;
  double round_spread = 0;
};

std::vector<double> all_of(const stats::Evidence& evidence) {
  std::vector<double> all;
  for (const auto& round : evidence.rounds) all.insert(all.end(), round.begin(), round.end());
  return all;
}

void judge(NoiseSample& one, double own_spread, const Machine& machine) {
  stats::DecisionOptions options;
  options.cases = machine.cases;
  options.round_spread = std::max(machine.round_spread, kLeastRoundSpread);
  const double level = stats::error_of_look(options, 1);
  CaseNoise& found = one.found;
  const auto even = all_of(one.even);
  const auto location = stats::trimmed_location(even);
  found.blocks = std::ssize(even);
  found.rounds = std::ssize(one.even.rounds);
  found.block_ms = 1e3 * one.block_s;
  found.block_spread = stats::spread_of(location, found.blocks);
  found.round_spread = own_spread;
  const auto ratio = stats::interval(one.even, options, level);
  found.even = ratio.ratio - 1;
  found.even_low = ratio.low - 1;
  found.even_high = ratio.high - 1;
  const auto blocks_in = [&](double seconds) {
    return static_cast<std::int64_t>(seconds / std::max(one.block_s, 1e-6));
  };
  const auto rounds = machine.budget->min_rounds;
  found.second_half = stats::expected_half_width(found.block_spread, blocks_in(1), rounds, options, level);
  // In the budget's last look, of about ten.
  const auto blocks = blocks_in(machine.budget->seconds_per_case);
  const double half =
      stats::expected_half_width(found.block_spread, blocks, rounds, options, stats::error_of_look(options, 10));
  const double error =
      std::hypot(stats::expected_error(found.block_spread, blocks), options.round_spread / std::sqrt(rounds));
  found.smallest = half + kSeenInMostRuns * error;
  // An interval as wide as the zone always answers.
  found.tolerate = std::ceil(1e4 * std::max({half, 3 * options.round_spread, 0.001})) / 1e4;
  found.block = std::ceil(1e4 * (found.tolerate + 2 * half + 0.001)) / 1e4;
  if (one.planted.rounds.empty()) return;
  const auto slower = stats::interval(one.planted, options, level);
  found.planted = Planted{stats::quantile(one.sizes, 0.5), slower.ratio - 1, slower.low - 1, slower.high - 1};
}

Overlap overlap_of(const std::vector<NoiseSample>& samples) {
  Overlap overlap;
  std::vector<double> quiet, beside;
  for (const auto& one : samples) {
    if (one.overlapped.rounds.empty()) continue;
    // In units of the case's own spread, so that one noisy kernel does not speak for all.
    const double unit = std::max(one.found.block_spread, 1e-5);
    for (const double value : all_of(one.even)) quiet.push_back(value / unit);
    for (const double value : all_of(one.overlapped)) beside.push_back(value / unit);
  }
  if (beside.empty()) return overlap;
  const auto a = stats::trimmed_location(quiet), b = stats::trimmed_location(beside);
  overlap.blocks = std::ssize(beside);
  overlap.quiet_spread = stats::spread_of(a, std::ssize(quiet));
  overlap.spread = stats::spread_of(b, std::ssize(beside));
  overlap.shift = b.center - a.center;
  overlap.shift_error = std::hypot(a.standard_error, b.standard_error);
  overlap.harmless = overlap.spread < 2 * overlap.quiet_spread && std::abs(overlap.shift) < 4 * overlap.shift_error;
  return overlap;
}

}  // namespace

Noise summarise(std::vector<NoiseSample>& samples, const trust::Budget& budget) {
  Noise noise;
  noise.default_spread = MachineRecord{}.round_spread;
  noise.seconds_per_case = budget.seconds_per_case;
  std::vector<std::vector<stats::RoundEstimate>> rounds;
  for (const auto& one : samples) {
    std::vector<stats::RoundEstimate> estimates;
    for (const auto& round : one.even.rounds) {
      const auto location = stats::trimmed_location(round);
      // Its own error without the margin for correlation, which would hide a spread between processes.
      estimates.push_back(
          {location.center, stats::spread_of(location, std::ssize(round)) / std::sqrt(std::ssize(round))});
    }
    rounds.push_back(std::move(estimates));
  }
  noise.round_spread = stats::between_rounds_pooled(rounds);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].found.failure.empty())
      judge(samples[i], stats::between_rounds(rounds[i]), {&budget, std::ssize(samples), noise.round_spread});
    noise.cases.push_back(samples[i].found);
  }
  noise.overlap = overlap_of(samples);
  return noise;
}

}  // namespace kgate::verdict
