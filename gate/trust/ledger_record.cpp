#include "gate/trust/ledger_record.h"

#include <set>
#include <utility>

#include "gate/trust/ledger_names.h"

namespace kgate::trust {
namespace {

Json to_json(const MeasuredCase& one) {
  return {{"us", one.us},         {"blocks", one.blocks},
          {"rounds", one.rounds}, {"launches_per_sample", one.launches_per_sample},
          {"regime", one.regime}, {"samples", one.samples}};
}

Json to_json(const Measurement& one) {
  Json cases = Json::object();
  for (const auto& [name, measured] : one.cases) cases[name] = to_json(measured);
  return {{"class", one.device_class},
          {"backend", one.backend},
          {"device", {{"name", one.device_name}, {"architecture", one.architecture}}},
          {"toolkit", one.toolkit},
          {"code", one.code},
          {"symbols", one.symbols},
          {"fingerprint", one.fingerprint},
          {"resources",
           {{"registers", one.registers},
            {"shared_bytes", one.shared_bytes},
            {"spill_bytes", one.spill_bytes},
            {"code_bytes", one.code_bytes}}},
          {"cases", std::move(cases)}};
}

}  // namespace

std::vector<std::string> objects_of(const Record& record) {
  std::set<std::string> digests;
  for (const auto& [path, digest] : record.files) digests.insert(digest);
  for (const auto& digest : {record.night, record.fingerprint}) {
    if (!digest.empty()) digests.insert(digest);
  }
  for (const Measurement& measurement : record.measurements) {
    digests.insert(measurement.code);
    digests.insert(measurement.fingerprint);
    for (const auto& [name, one] : measurement.cases) {
      if (!one.samples.empty()) digests.insert(one.samples);
    }
  }
  return {digests.begin(), digests.end()};
}

std::vector<StatementSubject> subjects_of(const Record& record) {
  const auto hex = [](const std::string& digest) { return digest.substr(digest.find(':') + 1); };
  std::vector<StatementSubject> subjects;
  for (const std::string& digest : objects_of(record)) subjects.push_back({object_path(digest), hex(digest)});
  if (subjects.empty()) subjects.push_back({"records/" + record.kernel, hex(record.kernel_previous)});
  return subjects;
}

Statement to_statement(const Record& record, const std::string& predicate_type) {
  if (predicate_type == kHistoryPredicate) {
    return {subjects_of(record),
            predicate_type,
            {{"hardware", record.kernel},
             {"sequence", record.sequence},
             {"previous", record.previous},
             {"hardware_previous", record.kernel_previous},
             {"heads", record.heads},
             {"time", record.time},
             {"night", record.night},
             {"fingerprint", record.fingerprint}}};
  }
  Json measurements = Json::array();
  for (const Measurement& one : record.measurements) measurements.push_back(to_json(one));
  return {subjects_of(record),
          predicate_type,
          {{"kernel", record.kernel},
           {"sequence", record.sequence},
           {"previous", record.previous},
           {"kernel_previous", record.kernel_previous},
           {"heads", record.heads},
           {"time", record.time},
           {"commit", record.commit},
           {"path", record.path},
           {"content", record.content},
           {"files", record.files},
           {"cases", {{"digest", record.cases_digest}, {"revision", record.cases_revision}}},
           {"reason", record.reason},
           {"slower", record.slower},
           {"release", record.release},
           {"renamed_from", record.renamed_from},
           {"retired", record.retired},
           {"measurements", std::move(measurements)}}};
}

}  // namespace kgate::trust
