#include "gate/verdict/bisect/bisection.h"

#include <algorithm>

namespace kgate::verdict {
namespace {

Json json_of(const trust::CommitInfo& commit) {
  return {{"commit", commit.id},
          {"author", commit.author},
          {"date", commit.date},
          {"subject", commit.subject},
          {"parents", commit.parents}};
}

Json json_of(const Ratio& ratio) {
  return {{"ratio", ratio.value}, {"low", ratio.low}, {"high", ratio.high}};
}

const char* name_of_side(Side side) {
  return side == Side::good ? "good" : side == Side::bad ? "bad" : "unknown";
}

Json json_of(const Visit& look) {
  Json json = json_of(look.commit);
  json["side"] = name_of_side(look.side);
  json["verdict"] = name_of(look.standing.verdict);
  json["finding"] = name_of(look.standing.trouble);
  json["reason"] = look.standing.reason;
  json["measured"] = look.measured;
  if (!look.same_as.empty()) json["same_as"] = look.same_as;
  if (!look.result.empty()) json["result"] = look.result;
  if (look.standing.ratio) json["time"] = json_of(*look.standing.ratio);
  return json;
}

template <typename List>
Json list_of(const List& list) {
  Json json = Json::array();
  for (const auto& one : list) json.push_back(json_of(one));
  return json;
}

}  // namespace

void conclude(Bisection& found) {
  const bool undecided =
      found.suspects.size() > 1 && std::any_of(found.looks.begin(), found.looks.end(), [&](const Visit& look) {
        return look.side == Side::unknown && look.standing.verdict == Verdict::inconclusive &&
               std::any_of(found.suspects.begin(), found.suspects.end(),
                           [&](const auto& suspect) { return suspect.id == look.commit.id; });
      });
  found.exit_code = static_cast<int>(undecided ? ExitCode::inconclusive : exit_code_of(found.end.verdict));
}

Json to_json(const Bisection& found) {
  Json others = Json::array();
  for (const auto& one : found.others)
    others.push_back({{"from", json_of(one.from)}, {"to", json_of(one.to)}, {"time", json_of(one.slower)}});
  Json json{{"schema", "kgate.bisect/1"},
            {"tool", {{"version", found.tool_version}, {"commit", found.tool_commit}}},
            {"kernel", found.kernel},
            {"path", found.path},
            {"policy", {{"commit", found.policy_commit}, {"ref", found.policy_ref}}},
            {"backend", found.backend},
            {"device", {{"name", found.device_name}, {"class", found.device_class}}},
            {"seed", found.seed},
            {"warnings", found.warnings},
            {"good", json_of(found.good)},
            {"bad", json_of(found.bad)},
            {"finding", name_of(found.wanted.trouble)},
            {"by_time", found.wanted.by_time},
            {"verdict", name_of(found.end.verdict)},
            {"reason", found.end.reason},
            {"cases", found.cases},
            {"commits", found.commits},
            {"changes", found.changes},
            {"unjudged", found.unjudged},
            {"compiled", found.compiled},
            {"measurements", found.measurements},
            {"looks", list_of(found.looks)},
            {"suspects", list_of(found.suspects)},
            {"others", others},
            {"finished", found.finished},
            {"trouble", found.trouble},
            {"exit_code", found.exit_code}};
  if (found.before) json["before"] = json_of(*found.before);
  if (found.after) json["after"] = json_of(*found.after);
  if (found.step) json["step"] = json_of(*found.step);
  if (!found.inside_to.empty()) json["inside"] = {{"from", found.inside_from}, {"to", found.inside_to}};
  return json;
}

}  // namespace kgate::verdict
