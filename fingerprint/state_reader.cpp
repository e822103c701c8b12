#include "fingerprint/state_reader.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "fingerprint/nvml_ask.h"

namespace kgate::fingerprint {
namespace {

constexpr unsigned kUtilisationEvery = 4;  // readings

constexpr std::array<std::pair<unsigned long long, const char*>, 8> kReasons{{
    {nvml::kReasonApplicationsClocks, "applications_clocks_setting"},
    {nvml::kReasonSwPowerCap, "sw_power_cap"},
    {nvml::kReasonHwSlowdown, "hw_slowdown"},
    {nvml::kReasonSyncBoost, "sync_boost"},
    {nvml::kReasonSwThermal, "sw_thermal_slowdown"},
    {nvml::kReasonHwThermal, "hw_thermal_slowdown"},
    {nvml::kReasonHwPowerBrake, "hw_power_brake_slowdown"},
    {nvml::kReasonDisplayClock, "display_clock_setting"},
}};

// A list of NVML's. More may come between asking for the number and asking for the list: ask again, with room to spare,
// a few times. `result` is the last answer.
template <typename Item, typename Call>
std::vector<Item> list_of(std::size_t room, nvml::Result& result, const Call& call) {
  std::vector<Item> list(room);
  for (int attempt = 0; attempt < 4; ++attempt) {
    auto count = static_cast<unsigned>(list.size());
    result = call(&count, list.data());
    if (result == nvml::kInsufficientSize) {
      list.resize(count + list.size());
      continue;
    }
    list.resize(result == nvml::kSuccess ? std::min<std::size_t>(count, list.size()) : 0);
    return list;
  }
  return {};
}

// Of compute or of graphics. `why_not` says why there is no list.
std::vector<GpuProcess> processes_of(const nvml::Functions& call, const char* name,
                                     nvml::Result (*function)(nvml::Device, unsigned*, nvml::Process*),
                                     nvml::Device device, std::string& why_not) {
  std::vector<GpuProcess> found;
  if (function == nullptr) {
    why_not = missing_function(name);
    return found;
  }
  nvml::Result result = nvml::kSuccess;
  const auto list = list_of<nvml::Process>(
      16, result, [&](unsigned* count, nvml::Process* items) { return function(device, count, items); });
  if (result != nvml::kSuccess) why_not = refused(call, name, result);
  for (const auto& one : list) found.push_back({one.pid, one.used_memory != ~0ull ? one.used_memory : 0});
  return found;
}

GpuProcess* find_process(GpuState& state, unsigned pid) {
  for (auto* list : {&state.processes, &state.without_compute}) {
    for (auto& process : *list) {
      if (process.pid == pid) return &process;
    }
  }
  return nullptr;
}

// NVML gives a path, on some drivers with the arguments, which are nobody's business.
std::string program_of(const std::string& command) {
  const std::string path = command.substr(0, command.find(' '));
  return path.substr(path.rfind('/') + 1);
}

std::string name_of_process(const nvml::Functions& call, unsigned pid) {
  std::array<char, nvml::kStringLength + 1> text{};
  if (call.process_name != nullptr && call.process_name(pid, text.data(), nvml::kStringLength) == nvml::kSuccess) {
    if (std::string name = program_of(text.data()); !name.empty()) return name;
  }
  std::string name;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", pid)), name);
  return name;
}

}  // namespace

GpuState StateReader::read() {
  const nvml::Device device = nvml_.device(index_);
  GpuState state;
  read_values(device, state);
  const nvml::Functions& call = nvml_.functions();
  state.processes =
      processes_of(call, "nvmlDeviceGetComputeRunningProcesses_v3", call.processes, device, state.processes_unknown);
  for (auto& process : processes_of(call, "nvmlDeviceGetGraphicsRunningProcesses_v3", call.graphics_processes, device,
                                    state.graphics_unknown)) {
    if (find_process(state, process.pid) == nullptr) state.without_compute.push_back(process);
  }
  if (readings_++ % kUtilisationEvery == 0) read_utilisation(device, state);
  state.tells_utilisation = tells_utilisation_;
  read_names(state);
  return state;
}

void StateReader::read_values(nvml::Device device, GpuState& state) const {
  const nvml::Functions& call = nvml_.functions();
  state.sm_clock_mhz = ask<unsigned>(call.clock, device, nvml::kClockSm);
  state.memory_clock_mhz = ask<unsigned>(call.clock, device, nvml::kClockMemory);
  state.temperature_c = ask<unsigned>(call.temperature, device, nvml::kTemperatureGpu);
  state.power_mw = ask<unsigned>(call.power, device);
  state.power_limit_mw = ask<unsigned>(call.power_limit, device);
  if (const auto use = ask<nvml::Utilization>(call.utilization, device)) state.utilisation_percent = use->gpu;
  unsigned long long bits = 0;
  state.throttle_unknown =
      refusal(call, "nvmlDeviceGetCurrentClocksEventReasons", call.throttle_reasons, device, &bits);
  if (!state.throttle_unknown.empty()) bits = 0;
  for (const auto& [bit, name] : kReasons) {
    if ((bits & bit) != 0) state.throttle_reasons.emplace_back(name);
  }
  if (const auto errors = ask<unsigned long long>(call.ecc_errors, device, nvml::kEccUncorrected, nvml::kEccVolatile)) {
    state.uncorrected_ecc_errors = *errors;
  }
}

void StateReader::read_utilisation(nvml::Device device, GpuState& state) {
  const auto function = nvml_.functions().process_utilization;
  if (function == nullptr || utilisation_refused_) return;
  nvml::Result result = nvml::kSuccess;
  const auto samples =
      list_of<nvml::ProcessUtilization>(128, result, [&](unsigned* count, nvml::ProcessUtilization* items) {
        return function(device, items, count, utilisation_seen_us_);
      });
  // Not here (MIG, many virtual GPUs and containers): it will not come, so it is not asked again.
  if (result == nvml::kNotSupported || result == nvml::kNoPermission) utilisation_refused_ = true;
  // "Not found": nobody used anything.
  if (result != nvml::kSuccess && result != nvml::kNotFound) return;
  tells_utilisation_ = true;
  for (auto* list : {&state.processes, &state.without_compute}) {
    for (auto& process : *list) process.utilisation_percent = 0;
  }
  for (const auto& sample : samples) {
    utilisation_seen_us_ = std::max(utilisation_seen_us_, sample.time_us);
    const unsigned use = std::max({sample.sm, sample.memory, sample.encoder, sample.decoder});
    GpuProcess* process = find_process(state, sample.pid);
    if (process == nullptr) process = &state.without_compute.emplace_back(GpuProcess{sample.pid, 0});
    process->utilisation_percent = std::max(process->utilisation_percent.value_or(0), use);
  }
}

void StateReader::read_names(GpuState& state) {
  std::map<unsigned, std::string> names;
  for (auto* list : {&state.processes, &state.without_compute}) {
    for (auto& process : *list) {
      const auto known = names_.find(process.pid);
      process.name = known != names_.end() ? known->second : name_of_process(nvml_.functions(), process.pid);
      names[process.pid] = process.name;
    }
  }
  names_ = std::move(names);
}

}  // namespace kgate::fingerprint
