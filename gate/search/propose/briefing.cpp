#include "gate/search/propose/briefing.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kgate::search {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 10> kOutcomes{{
    {Outcome::open, "open"},
    {Outcome::refused, "refused"},
    {Outcome::duplicate, "duplicate"},
    {Outcome::infeasible, "infeasible"},
    {Outcome::does_not_compile, "does_not_compile"},
    {Outcome::wrong, "wrong"},
    {Outcome::suspect, "suspect"},
    {Outcome::slower, "slower"},
    {Outcome::better, "better"},
    {Outcome::environment, "environment"},
}};

Json json_of(const VisibleCase& one) {
  Json json{{"name", one.name},
            {"role", one.role},
            {"sizes", one.sizes},
            {"weight", one.weight},
            {"tolerance", one.tolerance}};
  // Not timed is not the same as no time at all.
  if (one.baseline_us > 0) json["baseline_us"] = one.baseline_us;
  if (one.best_us > 0) json["best_us"] = one.best_us;
  return json;
}

Json json_of(const HardwareFacts& hardware) {
  return {{"name", hardware.name},
          {"architecture", hardware.architecture},
          {"limits", hardware.limits},
          {"traps", hardware.traps}};
}

template <typename Items>
Json list_of(const Items& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(json_of(item));
  return list;
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  const auto found =
      std::find_if(kOutcomes.begin(), kOutcomes.end(), [&](const auto& pair) { return pair.first == outcome; });
  return found->second;
}

std::optional<Outcome> outcome_of(std::string_view name) {
  const auto found =
      std::find_if(kOutcomes.begin(), kOutcomes.end(), [&](const auto& pair) { return pair.second == name; });
  if (found == kOutcomes.end()) return std::nullopt;
  return found->first;
}

Json to_json(const Tried& tried) {
  Json json{{"digest", tried.digest},
            {"parent", tried.parent},
            {"proposer", tried.proposer},
            {"direction", tried.direction},
            {"hypotheses", tried.hypotheses},
            {"parameters", tried.parameters},
            {"outcome", name_of(tried.outcome)},
            {"reason", tried.reason}};
  if (tried.score > 0) json["score"] = tried.score;
  if (!tried.case_us.empty()) json["case_us"] = tried.case_us;
  return json;
}

Json to_json(const Briefing& briefing) {
  Json tried = Json::array();
  for (const Tried& one : briefing.tried) tried.push_back(to_json(one));
  Json left = Json::object();
  if (briefing.tokens_left > 0) left["tokens"] = briefing.tokens_left;
  if (briefing.cost_left_usd > 0) left["cost_usd"] = briefing.cost_left_usd;
  if (briefing.seconds_left > 0) left["seconds"] = briefing.seconds_left;
  left["repairs"] = briefing.repairs_left;
  return {{"kernel", briefing.kernel},         {"contract", briefing.contract},
          {"cases", list_of(briefing.cases)},  {"best", briefing.best},
          {"sources", briefing.sources},       {"tunables", briefing.tunables},
          {"parameters", briefing.parameters}, {"resources", briefing.resources},
          {"bottleneck", briefing.bottleneck}, {"hardware", json_of(briefing.hardware)},
          {"rules", briefing.rules},           {"closed_directions", briefing.closed_directions},
          {"tried", std::move(tried)},         {"left", std::move(left)}};
}

}  // namespace kgate::search
