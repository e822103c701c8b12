#include "gate/verdict/timing/parts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gate/stats/weighted_ratio.h"
#include "gate/verdict/compile/baseline.h"

namespace kgate::verdict {
namespace {

constexpr std::size_t kCandidate = 0;  // among a case's contenders; references follow

class Parts {
 public:
  Parts(const TimeJob& job, const std::vector<TimedCase>& times, const TimeOptions& options, std::int64_t decisions)
      : job_(job), times_(times) {
    decision_.cases = decisions;
    decision_.round_spread = options.round_spread;
    tick_us_ = tick_of(options.backend);
    host_ = options.backend == "host";
  }

  Attribution find() const {
    Attribution why;
    const auto base = contender("base"), recorded = contender(kToolkit);
    // The accepted source, as today's toolkit compiles it.
    auto accepted = contender("accepted");
    if (!accepted) accepted = contender("last-release");
    if (recorded) accepted = *job_.references[*recorded - 1].other + 1;
    why.change = base ? ratio(kCandidate, *base) : Part{.unknown = "not compared with the base"};
    if (!accepted) {
      const Part none{.unknown = "not compared with an accepted version"};
      why.merged = why.toolkit = why.machine = none;
      return why;
    }
    why.merged = ratio(base.value_or(kCandidate), *accepted);
    if (recorded) {
      why.toolkit = ratio(*accepted, *recorded);
      why.toolkit.verdict = verdict_against(kToolkit);
    } else if (job_.references[*accepted - 1].recorded) {
      why.toolkit.unknown.clear();  // the same machine code
    } else {
      why.toolkit.unknown = host_ ? "the host backend runs no recorded machine code"
                                  : "the machine code that was accepted does not run here";
      why.machine.unknown = why.toolkit.unknown;
    }
    return why;
  }

 private:
  std::optional<std::size_t> contender(const std::string& against) const {
    const auto& all = job_.references;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.against == against; });
    if (found == all.end()) return std::nullopt;
    return static_cast<std::size_t>(found - all.begin()) + 1;
  }

  Part ratio(std::size_t one, std::size_t other) const {
    stats::WeightedRatio all;
    for (const TimedCase& timed : times_) {
      const auto* spec = case_named(*job_.subject, timed.name);
      if (spec != nullptr && timed.arm_of.size() > std::max(one, other))
        all.add(case_ratio(timed, timed.arm_of[one], timed.arm_of[other]), spec->weight);
    }
    if (all.empty()) return {.unknown = "too little was measured"};
    const auto mean = all.mean();
    return {mean.ratio, mean.low, mean.high, "", Verdict::pass};
  }

  stats::Interval case_ratio(const TimedCase& timed, std::size_t one, std::size_t other) const {
    if (one == other) return {1, 1, 1};
    stats::Evidence evidence;
    double us = 0;
    for (const auto& arms : timed.us) {
      auto& ratios = evidence.rounds.emplace_back();
      for (std::size_t block = 0; block < arms[one].size(); ++block)
        ratios.push_back(std::log(arms[one][block] / arms[other][block]));
      if (!arms[other].empty()) us = arms[other].front();
    }
    auto options = decision_;
    if (us > 0) options.resolution = tick_us_ / (us * launches_of(timed));
    return stats::interval(evidence, options, stats::error_of_look(options, 1));
  }

  // That share a sample's two ticks.
  static double launches_of(const TimedCase& timed) {
    for (const auto& one : timed.comparisons) {
      const auto& how = one.timing;
      if (how.blocks > 0 && (how.regime == "graph" || how.regime == "batch"))
        return static_cast<double>(std::max<std::int64_t>(1, how.launches_per_sample));
    }
    return 1;
  }

  Verdict verdict_against(const std::string& against) const {
    std::vector<Verdict> all;
    for (const TimedCase& timed : times_) {
      for (const auto& one : timed.comparisons) {
        if (one.against == against) all.push_back(one.verdict);
      }
    }
    return all.empty() ? Verdict::inconclusive : worst(all);
  }

  const TimeJob& job_;
  const std::vector<TimedCase>& times_;
  stats::DecisionOptions decision_;
  double tick_us_ = 0;
  bool host_ = false;
};

}  // namespace

Attribution parts_of(const TimeJob& job, const std::vector<TimedCase>& times, const TimeOptions& options,
                     std::int64_t decisions) {
  return Parts(job, times, options, decisions).find();
}

}  // namespace kgate::verdict
