#include "gate/search/propose/proposal.h"

#include <utility>

namespace kgate::search {
namespace {

Json json_of(const Part& part) {
  Json json{{"name", part.name}, {"hypothesis", part.hypothesis}};
  if (part.expected_gain > 0) json["expected_gain"] = part.expected_gain;
  if (!part.risk.empty()) json["risk"] = part.risk;
  if (!part.files.empty()) json["files"] = part.files;
  for (const Edit& edit : part.edits)
    json["edits"].push_back({{"file", edit.file}, {"find", edit.find}, {"replace", edit.replace}});
  if (!part.parameters.empty()) json["parameters"] = part.parameters;
  return json;
}

}  // namespace

Json to_json(const Proposal& proposal) {
  Json parts = Json::array();
  for (const Part& part : proposal.parts) parts.push_back(json_of(part));
  Json json{{"parent", proposal.parent}, {"direction", proposal.direction}, {"parts", std::move(parts)}};
  if (!proposal.differs.empty()) json["differs"] = proposal.differs;
  return json;
}

}  // namespace kgate::search
