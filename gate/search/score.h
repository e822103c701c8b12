#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gate/search/evaluator.h"
#include "gate/stats/decision.h"

namespace kgate::search {

// The weighted geometric mean of the cases' ratios over the baseline, with its interval: half widths in ln ratio add up
// as variances do (gate/stats/weighted_ratio). Without cases: 1, of which nothing is known.
stats::Interval score_of(const std::vector<CaseTime>& cases);

// The same, fit for a mean where nothing is known too: bounds that have a logarithm.
stats::Interval bounded(const stats::Interval& one);

// -1: the first is proved to take less time than the second, 1: more, 0: neither. Both were measured beside the same
// baseline, apart from each other: their half widths in ln ratio add up as variances do.
int compare(const stats::Interval& one, const stats::Interval& other);
int compare(const Evaluation& one, const Evaluation& other);
int compare(const CaseTime& one, const CaseTime& other);

bool is_timed(const Evaluation& evaluation);

// A case of a timed version by its name. Throws Error(internal) where it has none.
const CaseTime& time_of(const Evaluation& evaluation, const std::string& name);

// Whether a timed candidate is the new best: proved better than the best so far, and no case slower than the baseline's
// by more than `zone` (0.02: 2 %). `reason` says why not.
struct Judgement {
  bool better = false;
  std::string reason;
};
Judgement judge(const Evaluation& candidate, const Evaluation& best, double zone);

// The first case that is slower than the baseline by more than the zone.
const CaseTime* over_limit(const Evaluation& evaluation, double zone);

// The score that no version can get under, where every case has a floor.
std::optional<double> floor_of(const Evaluation& evaluation);

}  // namespace kgate::search
