#include "gate/search/brief.h"

#include <algorithm>

#include "gate/search/candidate.h"

namespace kgate::search {
namespace {

Tried tried_of(const History& history, const Step& step) {
  Tried tried;
  tried.digest = step.candidate;
  tried.parent = step.proposal.parent;
  tried.proposer = step.proposal.proposer;
  tried.direction = step.proposal.direction;
  for (const Part& part : step.proposal.parts) tried.hypotheses.push_back(part.hypothesis);
  tried.parameters = history.parameters(step);
  tried.outcome = step.evaluation.outcome;
  tried.reason = step.evaluation.reason;
  tried.score = step.evaluation.score;
  for (const CaseTime& one : step.evaluation.cases) tried.case_us[one.name] = one.us;
  return tried;
}

void add_times(std::vector<VisibleCase>& cases, const Evaluation& best) {
  for (const CaseTime& time : best.cases) {
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const auto& one) { return one.name == time.name; });
    if (found == cases.end()) continue;
    found->baseline_us = time.baseline_us;
    found->best_us = time.us;
  }
}

}  // namespace

Briefing brief(const History& history, const Briefing& common, double seconds) {
  Briefing briefing = common;
  const Step& best = history.best();
  Candidate version = history.version(best.candidate);
  briefing.best = best.candidate;
  briefing.tunables = spec_of(version).tunables;
  briefing.parameters = std::move(version.parameters);
  briefing.sources = std::move(version.files);
  briefing.resources = best.evaluation.resources;
  add_times(briefing.cases, best.evaluation);
  for (const Step& step : history.steps()) briefing.tried.push_back(tried_of(history, step));
  briefing.tried.front().proposer = "baseline";
  for (const auto& [name, direction] : history.directions()) {
    Proposal any;
    any.direction = name;
    any.parts.resize(1);
    any.parts[0].edits.resize(1);
    if (std::string why = history.closed(any); !why.empty()) briefing.closed_directions.push_back(std::move(why));
  }
  const Budgets& budgets = history.budgets();
  const Spent& spent = history.spent();
  if (budgets.tokens > 0) briefing.tokens_left = std::max<std::int64_t>(budgets.tokens - spent.tokens, 0);
  if (budgets.cost_usd > 0) briefing.cost_left_usd = std::max(budgets.cost_usd - spent.cost_usd, 0.0);
  briefing.seconds_left = std::max(budgets.seconds - seconds, 0.0);
  briefing.repairs_left = budgets.repairs;
  return briefing;
}

}  // namespace kgate::search
