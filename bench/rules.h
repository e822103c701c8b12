#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/mann_whitney.h"
#include "bench/samples.h"
#include "gate/stats/trial.h"

namespace kgate::bench {

// What a gate that used the rule would do.
enum class Answer { block, pass, undecided };

// The other rules, each a function of samples that were taken as its tool takes them. None reads a zone: they ask
// whether there is a difference, or one of a fixed size.

// nvbench_compare.py as it was up to 2026, now nvbench-compare-legacy: the means differ by more than the smaller of the
// two relative standard deviations (its maintainer's description: github.com/NVIDIA/nvbench/issues/316, of 2026-04-14).
Answer nvbench_legacy(const Samples& samples);

// nvbench-compare-robust with its default thresholds, on summaries (docs/nvbench_compare_robust.md of NVIDIA/nvbench):
// slow or fast where the intervals [minimum, third quartile] lie apart by 0.5 %; the same where both relative
// interquartile ranges are at most 2 %, the medians within 0.5 % and the intervals overlap by half of the narrower one;
// else ambiguous. Its check of a gap in clock cycles is taken as passed: samples here have no clock rate.
Answer nvbench_robust(const Samples& samples);

// "Significantly slower": Mann and Whitney's test at a two-sided level.
Answer significantly_slower(const MannWhitney& test, const Samples& samples, double level);

// "More than 5 % slower": medians, a fixed threshold.
Answer over_threshold(const Samples& samples, double threshold);

struct Outcome {
  Answer answer = Answer::undecided;
  std::int64_t samples = 0;  // of each arm; the larger number where they differ
};

// kgate's rule as its gate runs it: 100 cases, the default zone, at most 8 rounds and 3000 blocks.
stats::TrialOptions kgate_options(const NoiseModel& model);
constexpr std::int64_t kMostBlocks = 3000;
Outcome kgate_decides(Subject& subject);

// Rules that look at the same samples: one experiment, several verdicts.
struct RuleSet {
  std::vector<std::string> names;
  // One outcome a name.
  std::function<std::vector<Outcome>(Subject&)> decide;
};
RuleSet kgate_rule();
std::vector<RuleSet> all_rules();

}  // namespace kgate::bench
