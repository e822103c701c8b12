#include "gate/search/ablation.h"

#include <algorithm>
#include <numeric>

#include "gate/search/history.h"
#include "gate/search/score.h"

namespace kgate::search {
namespace {

constexpr std::size_t kMostParts = 16;

// What it was made from, where that was timed.
const Step* timed_parent(const History& history, const Step& step) {
  for (const Step& one : history.steps()) {
    if (one.candidate == step.proposal.parent && is_timed(one.evaluation)) return &one;
  }
  return nullptr;
}

bool is_mixed(const Evaluation& evaluation, const Evaluation& parent) {
  bool wins = false, loses = false, slower = true;
  for (const CaseTime& one : evaluation.cases) {
    const auto before = std::find_if(parent.cases.begin(), parent.cases.end(),
                                     [&](const CaseTime& other) { return other.name == one.name; });
    if (before == parent.cases.end()) continue;
    wins = wins || compare(one, *before) < 0;
    loses = loses || compare(one, *before) > 0;
    slower = slower && one.ratio > before->ratio;
  }
  return (wins && loses) || (slower && compare(evaluation, parent) > 0);
}

std::vector<std::size_t> all_but(std::size_t parts, const std::vector<std::size_t>& left_out) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < parts; ++i) {
    if (std::find(left_out.begin(), left_out.end(), i) == left_out.end()) kept.push_back(i);
  }
  return kept;
}

}  // namespace

std::optional<std::vector<std::size_t>> due_trial(const History& history, const Step& step) {
  const std::size_t parts = step.proposal.parts.size();
  if (parts < 2 || parts > kMostParts || step.ablation_of != 0 || !is_timed(step.evaluation)) return std::nullopt;
  const Step* const parent = timed_parent(history, step);
  if (parent == nullptr || !is_mixed(step.evaluation, parent->evaluation)) return std::nullopt;
  const std::vector<const Step*> trials = history.trials(step);
  if (trials.size() < parts) return all_but(parts, {trials.size()});
  if (trials.size() > parts) return std::nullopt;
  std::vector<std::size_t> better_without;
  for (std::size_t i = 0; i < parts; ++i) {
    const Evaluation& without = trials[i]->evaluation;
    if (trials[i]->is_open()) return std::nullopt;  // it has to be known first
    if (is_timed(without) && compare(without, step.evaluation) < 0) better_without.push_back(i);
  }
  if (better_without.size() < 2 || better_without.size() == parts) return std::nullopt;
  return all_but(parts, better_without);
}

}  // namespace kgate::search
