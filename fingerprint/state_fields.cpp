#include <fmt/format.h>

#include "base/error.h"
#include "fingerprint/gpu_fields.h"
#include "fingerprint/gpu_questions.h"

namespace kgate::fingerprint {
namespace {

Json list_of(const std::vector<GpuProcess>& processes) {
  Json list = Json::array();
  for (const GpuProcess& process : processes)
    list.push_back({{"pid", process.pid}, {"memory_bytes", process.memory_bytes}, {"name", process.name}});
  return list;
}

// HBM alone has one.
Json memory_temperature(const nvml::Functions& call, nvml::Device gpu) {
  nvml::FieldValue value{};
  value.field = nvml::kMemoryTemperatureField;
  std::string why = refusal(call, "nvmlDeviceGetFieldValues", call.field_values, gpu, 1, &value);
  if (why.empty() && value.result != nvml::kSuccess) why = refused(call, "nvmlDeviceGetFieldValues", value.result);
  if (why.empty() && value.type != nvml::kUnsignedValue) why = "NVML answers with another kind of number";
  return why.empty() ? Json(value.value.as_unsigned) : Json(unknown(why));
}

}  // namespace

Json state_fields(const Nvml& nvml, const GpuChoice& choice) {
  const nvml::Functions& call = nvml.functions();
  const nvml::Device gpu = choice.gpu;
  Json fields = Json::object();
  Questions ask(call, fields);
  ask.number("sm_clock_mhz", "nvmlDeviceGetClockInfo", call.clock, gpu, nvml::kClockSm);
  ask.number("memory_clock_mhz", "nvmlDeviceGetClockInfo", call.clock, gpu, nvml::kClockMemory);
  ask.number("temperature_c", "nvmlDeviceGetTemperature", call.temperature, gpu, nvml::kTemperatureGpu);
  fields["memory_temperature_c"] = memory_temperature(call, gpu);
  ask.number("power_mw", "nvmlDeviceGetPowerUsage", call.power, gpu);
  ask.number("power_limit_mw", "nvmlDeviceGetEnforcedPowerLimit", call.power_limit, gpu);
  ask.number("performance_state", "nvmlDeviceGetPerformanceState", call.performance_state, gpu);
  if (fields["performance_state"].is_number())
    fields["performance_state"] = fmt::format("P{}", fields["performance_state"].get<unsigned>());
  nvml::Utilization use{};
  const std::string why = refusal(call, "nvmlDeviceGetUtilizationRates", call.utilization, gpu, &use);
  fields["utilisation_percent"] = why.empty() ? Json(use.gpu) : Json(unknown(why));
  try {
    const GpuState state = nvml.state(choice.index);
    fields["throttle_reasons"] =
        state.throttle_unknown.empty() ? Json(state.throttle_reasons) : Json(unknown(state.throttle_unknown));
    fields["processes"] =
        state.processes_unknown.empty() ? list_of(state.processes) : Json(unknown(state.processes_unknown));
    fields["processes_without_compute"] =
        state.graphics_unknown.empty() ? list_of(state.without_compute) : Json(unknown(state.graphics_unknown));
  } catch (const Error& error) {
    // Lost since the first question: what was read stays, what was not says so.
    for (const char* field : {"throttle_reasons", "processes", "processes_without_compute"})
      fields[field] = unknown(error.subject() + ": " + error.fact());
  }
  return fields;
}

}  // namespace kgate::fingerprint
