#include "gate/search/propose/tuner_proposer.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/search/tuner/tuner.h"

namespace kgate::search {
namespace {

using Values = std::map<std::string, std::string>;

// The versions with the best one's source: that which no tuner made, and all that tuners made of it, by digest.
std::set<std::string> family_of(const Briefing& briefing) {
  std::map<std::string, std::string> made_of;  // by tuners: child -> parent
  for (const Tried& tried : briefing.tried) {
    if (tried.proposer == "tuner" && tried.digest != tried.parent) made_of.emplace(tried.digest, tried.parent);
  }
  const auto root_of = [&](std::string digest) {
    for (std::size_t steps = 0; steps < made_of.size() && made_of.contains(digest); ++steps) digest = made_of[digest];
    return digest;
  };
  const std::string root = root_of(briefing.best);
  std::set<std::string> family{root, briefing.best};
  for (const auto& [child, parent] : made_of) {
    if (root_of(child) == root) family.insert(child);
  }
  return family;
}

// Nothing where the version lies outside the space: the baseline may have a value that [tunables] does not list.
std::optional<tuner::Configuration> configuration_of(const tuner::Space& space, const Values& values) {
  Values some;
  for (const tuner::Parameter& parameter : space.parameters()) {
    const auto found = values.find(parameter.name);
    if (found == values.end()) return std::nullopt;
    if (std::find(parameter.values.begin(), parameter.values.end(), found->second) == parameter.values.end())
      return std::nullopt;
    some.insert(*found);
  }
  return space.configuration(some);
}

void teach(tuner::Tuner& tuner, const Tried& tried, const tuner::Configuration& configuration) {
  switch (tried.outcome) {
    case Outcome::slower:
    case Outcome::better:
      if (std::isfinite(tried.score) && tried.score > 0) return tuner.observe(configuration, tried.score);
      return tuner.expect(configuration);
    case Outcome::infeasible:
    case Outcome::does_not_compile:
    case Outcome::wrong:
    case Outcome::suspect:
      return tuner.observe(configuration, std::nullopt);
    case Outcome::open:
    case Outcome::refused:
    case Outcome::duplicate:
      return tuner.expect(configuration);  // no figure, and not to be proposed again
    case Outcome::environment:
      return;  // says nothing about it
  }
}

std::string percent(double share) {
  const double size = 100 * std::abs(share);
  return fmt::format("{:.{}f} %", size, size < 9.95 ? 1 : 0);
}

std::string change(const Values& from, const Values& to) {
  std::string text;
  for (const auto& [name, value] : to) {
    const auto before = from.find(name);
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", name,
                        before == from.end() ? "unset" : before->second, value);
  }
  return text;
}

std::string expectation(const std::optional<tuner::Estimate>& estimate, double best) {
  if (!estimate) return "tried to see where it is fast: too little is known for a prediction";
  constexpr double kNormal95 = 1.959963984540054;
  const double ratio = std::exp(estimate->log_time) / best;
  return fmt::format("predicted {} {} time (±{})", percent(ratio - 1), ratio <= 1 ? "less" : "more",
                     percent(ratio * std::expm1(kNormal95 * estimate->deviation)));
}

Reply refused(Refusal::Kind kind, std::string reason) {
  Reply reply;
  reply.refusal = {kind, std::move(reason)};
  return reply;
}

}  // namespace

Reply TunerProposer::suggest(const Briefing& briefing) {
  if (briefing.tunables.empty())
    return refused(Refusal::Kind::exhausted, "the kernel.toml of the best version lists no [tunables]");
  tuner::Space::Feasible allowed;
  if (options_.feasible) allowed = [&](const tuner::Configuration& one) { return feasible(briefing, one); };
  tuner::Tuner tuner(tuner::Space(briefing.tunables, allowed), {.seed = options_.seed});
  const std::set<std::string> family = family_of(briefing);
  double best = 1;
  for (const Tried& tried : briefing.tried) {
    if (!family.contains(tried.digest)) continue;
    if (tried.digest == briefing.best && tried.score > 0) best = tried.score;
    if (const auto configuration = configuration_of(tuner.space(), tried.parameters))
      teach(tuner, tried, *configuration);
  }
  // It need not be among what was tried, or its measurement failed; to propose it would change nothing.
  if (const auto now = configuration_of(tuner.space(), briefing.parameters)) tuner.expect(*now);
  const auto next = tuner.suggest();
  if (!next)
    return refused(Refusal::Kind::exhausted,
                   options_.feasible
                       ? "every setting that [tunables] allows, and that has room on the device, was tried"
                       : "every setting that [tunables] allows was tried");

  const auto estimate = tuner.estimate(*next);
  Part part;
  part.name = "tunables";
  for (const auto& [name, value] : tuner.space().values(*next)) {
    const auto before = briefing.parameters.find(name);
    if (before == briefing.parameters.end() || before->second != value) part.parameters.emplace(name, value);
  }
  part.hypothesis = fmt::format("{}: {}", change(briefing.parameters, part.parameters), expectation(estimate, best));
  if (estimate) part.expected_gain = tuner::expected_gain(*estimate, best);
  Proposal proposal;
  proposal.proposer = "tuner";
  proposal.parent = briefing.best;
  proposal.parts.push_back(std::move(part));
  proposal.seed = options_.seed;
  Reply reply;
  reply.proposal = std::move(proposal);
  return reply;
}

bool TunerProposer::feasible(const Briefing& briefing, const std::vector<std::uint16_t>& configuration) {
  if (asked_of_ != briefing.best) {
    asked_of_ = briefing.best;
    feasible_.clear();
  }
  const auto known = feasible_.find(configuration);
  if (known != feasible_.end()) return known->second;
  Values values;
  std::size_t place = 0;
  for (const auto& [name, list] : briefing.tunables) values.emplace(name, list.at(configuration[place++]));
  return feasible_[configuration] = options_.feasible(briefing, values);
}

Reply TunerProposer::propose(const Briefing& briefing) {
  try {
    return suggest(briefing);
  } catch (const Error& error) {
    return refused(Refusal::Kind::unavailable, error.what());
  }
}

}  // namespace kgate::search
