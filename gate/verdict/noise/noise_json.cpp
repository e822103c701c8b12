#include "gate/verdict/noise/noise.h"

namespace kgate::verdict {
namespace {

Json case_json(const CaseNoise& one) {
  Json json{{"kernel", one.kernel}, {"case", one.name}};
  if (!one.failure.empty()) {
    json["failure"] = one.failure;
    return json;
  }
  json.update({{"regime", one.regime},
               {"us", one.us},
               {"bound", one.bound},
               {"blocks", one.blocks},
               {"rounds", one.rounds},
               {"block_ms", one.block_ms},
               {"block_spread", one.block_spread},
               {"round_spread", one.round_spread},
               {"even", {{"ratio", 1 + one.even}, {"low", 1 + one.even_low}, {"high", 1 + one.even_high}}},
               {"error_after_one_second", one.second_half},
               {"smallest_slowdown", one.smallest},
               {"zone", {{"tolerate", one.tolerate}, {"block", one.block}}}});
  if (one.planted) {
    json["planted"] = {{"size", one.planted->size},
                       {"ratio", 1 + one.planted->found},
                       {"low", 1 + one.planted->low},
                       {"high", 1 + one.planted->high}};
  }
  return json;
}

}  // namespace

Json to_json(const Noise& noise, const Result& setting) {
  Json cases = Json::array();
  for (const auto& one : noise.cases) cases.push_back(case_json(one));
  const auto driver = setting.fingerprint.find("driver");
  const bool known = setting.backend == "cuda" && driver != setting.fingerprint.end() && driver->contains("version") &&
                     (*driver)["version"].is_string();
  return {{"schema", "kgate.noise/1"},
          {"measured", setting.started},
          {"backend", setting.backend},
          {"device", {{"name", setting.device_name}, {"uuid", setting.device_uuid}}},
          {"class", setting.device_class},
          {"driver", known ? (*driver)["version"].get<std::string>() : ""},
          {"round_spread", noise.round_spread},
          {"seconds_per_case", noise.seconds_per_case},
          {"overlap",
           {{"harmless", noise.overlap.harmless},
            {"blocks", noise.overlap.blocks},
            {"spread", noise.overlap.spread},
            {"quiet_spread", noise.overlap.quiet_spread},
            {"shift", noise.overlap.shift},
            {"shift_error", noise.overlap.shift_error}}},
          {"environment", setting.environment},
          {"cases", cases}};
}

}  // namespace kgate::verdict
