#include "gate/drift/import.h"

#include "fingerprint/fingerprint.h"

namespace kgate::drift {

NightFigures night_of(const verdict::Result& result) {
  NightFigures night;
  night.time = result.started;
  night.device_class = result.device_class;
  night.hardware = fingerprint::hardware_of(result.fingerprint);
  night.device_name = result.device_name;
  const auto device = result.fingerprint.find("device");
  if (device != result.fingerprint.end() && device->is_object()) {
    if (const auto architecture = device->value("architecture", Json()); architecture.is_string())
      night.architecture = architecture.get<std::string>();
  }
  night.backend = result.backend;
  night.commit = result.source_commit;
  night.environment = result.environment;
  for (const auto& kernel : result.kernels) {
    NightKernel found;
    found.compiled_here = true;
    if (!kernel.comparisons.empty()) {
      const auto& first = kernel.comparisons.front();
      found.accepted = first.sequence;
      found.compiled_here = first.artifact != "recorded";
    }
    for (const auto& one : kernel.cases) {
      if (!one.time || !is_time(one.time->base_us)) continue;
      found.cases[one.name] = {one.time->base_us, 0, one.time->blocks, one.time->rounds, one.time->launches_per_sample,
                               one.time->regime};
    }
    if (!found.cases.empty()) night.kernels[kernel.name] = std::move(found);
  }
  return night;
}

}  // namespace kgate::drift
