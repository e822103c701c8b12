#include "gate/verdict/result/version_diff_json.h"

#include "gate/verdict/result/json_values.h"

namespace kgate::verdict {
namespace {

constexpr const char* kTotal = "total";

Json counts_json(const disassembly::Counts& counts) {
  Json json{{kTotal, disassembly::total(counts)}};
  for (const auto& [kind, count] : counts) json[disassembly::key_of(kind)] = count;
  return json;
}

// For who reads the file by eye or by a filter; it follows from the counts and is not read back.
Json changes_json(const disassembly::Counts& before, const disassembly::Counts& after) {
  disassembly::Counts change = after;
  for (const auto& [kind, count] : before) change[kind] -= count;
  Json json = Json::object();
  for (const auto& [kind, count] : change) {
    if (count != 0) json[disassembly::key_of(kind)] = count;
  }
  return json;
}

// Kinds of a later kgate are skipped.
disassembly::Counts counts_from(const Reader& reader) {
  disassembly::Counts counts;
  for (const auto& [key, value] : reader.json().items()) {
    const std::int64_t count = reader.integer(value, key.c_str());
    if (count < 0) reader.fail(reader.key_of(key), "must not be negative");
    if (const auto kind = disassembly::kind_from_key(key)) counts[*kind] = count;
  }
  return counts;
}

Json fingerprint_json(const std::vector<fingerprint::Difference>& differences) {
  Json json = Json::array();
  for (const fingerprint::Difference& one : differences) {
    json.push_back({{"axis", text(one.axis)},
                    {"field", text(one.field)},
                    {"before", text(one.before)},
                    {"after", text(one.after)},
                    {"timing", text(one.timing)}});
  }
  return json;
}

std::vector<fingerprint::Difference> fingerprint_from(const std::vector<Reader>& readers) {
  std::vector<fingerprint::Difference> differences;
  for (const Reader& reader : readers) {
    fingerprint::Difference& one = differences.emplace_back();
    reader.get("axis", one.axis);
    reader.get("field", one.field);
    reader.get("before", one.before);
    reader.get("after", one.after);
    reader.get("timing", one.timing);
  }
  return differences;
}

}  // namespace

Json to_json(const ResourceUse& use) {
  return {{"registers", use.registers},
          {"shared_bytes", use.shared_bytes},
          {"spill_bytes", use.spill_bytes},
          {"code_bytes", use.code_bytes}};
}

Json to_json(const MachineCode& code) {
  if (!code.not_counted.empty()) return {{"not_counted", text(code.not_counted)}};
  return {{"before", counts_json(code.before)},
          {"after", counts_json(code.after)},
          {"changes", changes_json(code.before, code.after)}};
}

Json error_growth_json(const std::map<std::string, double>& growth) {
  Json json = Json::object();
  for (const auto& [output, factor] : growth) json[valid_utf8(output)] = number(factor);
  return json;
}

Json to_json(const VersionDiff& diff) {
  Json json{{"against", text(diff.against)},
            {"sequence", diff.sequence},
            {"source", text(diff.source)},
            {"options", texts(diff.options)},
            {"launch", texts(diff.launch)}};
  if (diff.resources) json["resources"] = to_json(*diff.resources);
  if (diff.machine_code) json["machine_code"] = to_json(*diff.machine_code);
  if (!diff.error_growth.empty()) json["error_growth"] = error_growth_json(diff.error_growth);
  if (diff.fingerprint) json["fingerprint"] = fingerprint_json(*diff.fingerprint);
  return json;
}

ResourceUse resources_from(const Reader& reader) {
  ResourceUse use;
  reader.get("registers", use.registers);
  reader.get("shared_bytes", use.shared_bytes);
  reader.get("spill_bytes", use.spill_bytes);
  reader.get("code_bytes", use.code_bytes);
  return use;
}

MachineCode machine_code_from(const Reader& reader) {
  MachineCode code;
  if (reader.json().contains("not_counted")) {
    reader.get("not_counted", code.not_counted);
    return code;
  }
  code.before = counts_from(reader.object("before"));
  code.after = counts_from(reader.object("after"));
  return code;
}

std::map<std::string, double> error_growth_from(const Reader& reader) {
  std::map<std::string, double> growth;
  for (const auto& [output, factor] : reader.json().items()) reader.get(output.c_str(), growth[output]);
  return growth;
}

VersionDiff version_diff_from(const Reader& reader) {
  VersionDiff diff;
  reader.get("against", diff.against);
  reader.get("sequence", diff.sequence);
  reader.get("source", diff.source);
  reader.get("options", diff.options);
  reader.get("launch", diff.launch);
  if (const auto use = reader.maybe_object("resources")) diff.resources = resources_from(*use);
  if (const auto code = reader.maybe_object("machine_code")) diff.machine_code = machine_code_from(*code);
  if (const auto growth = reader.maybe_object("error_growth")) diff.error_growth = error_growth_from(*growth);
  if (reader.json().contains("fingerprint")) diff.fingerprint = fingerprint_from(reader.objects("fingerprint"));
  return diff;
}

}  // namespace kgate::verdict
