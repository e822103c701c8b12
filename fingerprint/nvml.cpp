#include "fingerprint/nvml.h"

#include <filesystem>
#include <fstream>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.h"
#include "fingerprint/nvml_ask.h"
#include "fingerprint/state_reader.h"

namespace kgate::fingerprint {
namespace {

nvml::Functions resolve(void* library) {
  nvml::Functions call;
  const auto find = [library](auto*& slot, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (slot == nullptr) slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(::dlsym(library, name));
    }
  };
  find(call.init, {"nvmlInit_v2"});
  find(call.shutdown, {"nvmlShutdown"});
  find(call.error_string, {"nvmlErrorString"});
  find(call.driver_version, {"nvmlSystemGetDriverVersion"});
  find(call.cuda_driver_version, {"nvmlSystemGetCudaDriverVersion_v2"});
  find(call.device_count, {"nvmlDeviceGetCount_v2"});
  find(call.device_by_index, {"nvmlDeviceGetHandleByIndex_v2"});
  find(call.name, {"nvmlDeviceGetName"});
  find(call.uuid, {"nvmlDeviceGetUUID"});
  find(call.vbios_version, {"nvmlDeviceGetVbiosVersion"});
  find(call.inforom_version, {"nvmlDeviceGetInforomImageVersion"});
  find(call.gsp_version, {"nvmlDeviceGetGspFirmwareVersion"});
  find(call.gsp_mode, {"nvmlDeviceGetGspFirmwareMode"});
  find(call.virtualization_mode, {"nvmlDeviceGetVirtualizationMode"});
  find(call.core_count, {"nvmlDeviceGetNumGpuCores"});
  find(call.attributes, {"nvmlDeviceGetAttributes_v2"});
  find(call.compute_capability, {"nvmlDeviceGetCudaComputeCapability"});
  find(call.memory, {"nvmlDeviceGetMemoryInfo"});
  find(call.clock, {"nvmlDeviceGetClockInfo"});
  find(call.max_clock, {"nvmlDeviceGetMaxClockInfo"});
  find(call.memory_bus_width, {"nvmlDeviceGetMemoryBusWidth"});
  find(call.applications_clock, {"nvmlDeviceGetApplicationsClock"});
  find(call.default_applications_clock, {"nvmlDeviceGetDefaultApplicationsClock"});
  find(call.temperature_threshold, {"nvmlDeviceGetTemperatureThreshold"});
  find(call.field_values, {"nvmlDeviceGetFieldValues"});
  find(call.performance_state, {"nvmlDeviceGetPerformanceState"});
  find(call.temperature, {"nvmlDeviceGetTemperature"});
  find(call.power, {"nvmlDeviceGetPowerUsage"});
  find(call.power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
  find(call.default_power_limit, {"nvmlDeviceGetPowerManagementDefaultLimit"});
  find(call.power_limit_range, {"nvmlDeviceGetPowerManagementLimitConstraints"});
  find(call.utilization, {"nvmlDeviceGetUtilizationRates"});
  find(call.throttle_reasons, {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  find(call.processes, {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  find(call.graphics_processes,
       {"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"});
  find(call.process_utilization, {"nvmlDeviceGetProcessUtilization"});
  find(call.process_name, {"nvmlSystemGetProcessName"});
  find(call.ecc_mode, {"nvmlDeviceGetEccMode"});
  find(call.ecc_errors, {"nvmlDeviceGetTotalEccErrors"});
  find(call.mig_mode, {"nvmlDeviceGetMigMode"});
  find(call.most_mig_instances, {"nvmlDeviceGetMaxMigDeviceCount"});
  find(call.mig_instance, {"nvmlDeviceGetMigDeviceHandleByIndex"});
  find(call.compute_mode, {"nvmlDeviceGetComputeMode"});
  find(call.persistence_mode, {"nvmlDeviceGetPersistenceMode"});
  find(call.pcie_generation, {"nvmlDeviceGetCurrPcieLinkGeneration"});
  find(call.pcie_width, {"nvmlDeviceGetCurrPcieLinkWidth"});
  find(call.most_pcie_generation, {"nvmlDeviceGetMaxPcieLinkGeneration"});
  find(call.most_pcie_width, {"nvmlDeviceGetMaxPcieLinkWidth"});
  find(call.pci_address, {"nvmlDeviceGetPciInfo_v3"});
  return call;
}

}  // namespace

std::string missing_function(const char* name) {
  return fmt::format("this driver's NVML has no {}", name);
}

std::string refused(const nvml::Functions& call, const char* name, nvml::Result result) {
  const char* words = call.error_string != nullptr ? call.error_string(result) : nullptr;
  return words != nullptr ? fmt::format("{} says: {}", name, words) : fmt::format("{} says: error {}", name, result);
}

std::unique_ptr<Nvml> Nvml::open(std::string* why_not) {
  // After the linker's own search, the folders where containers mount the driver without telling the linker's cache.
  for (const char* path : {"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1",
                           "/usr/local/nvidia/lib/libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"}) {
    // Never closed: NVML keeps state of its own that does not survive being unloaded.
    if (void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL); library != nullptr)
      return over(resolve(library), why_not);
  }
  if (why_not != nullptr) *why_not = "libnvidia-ml.so.1 was not found";
  return nullptr;
}

std::unique_ptr<Nvml> Nvml::over(const nvml::Functions& functions, std::string* why_not) {
  std::string why = refusal(functions, "nvmlInit_v2", functions.init);
  if (why.empty()) return std::unique_ptr<Nvml>(new Nvml(functions));
  if (why_not != nullptr) *why_not = why;
  return nullptr;
}

Nvml::~Nvml() {
  if (call_.shutdown != nullptr) call_.shutdown();
}

nvml::Device Nvml::device(unsigned index) const {
  nvml::Device device = nullptr;
  const std::string why = refusal(call_, "nvmlDeviceGetHandleByIndex_v2", call_.device_by_index, index, &device);
  if (!why.empty())
    throw Error(ErrorKind::environment, fmt::format("GPU {}", index), why, "list the GPUs with nvidia-smi -L");
  return device;
}

std::vector<GpuIdentity> Nvml::devices() const {
  std::vector<GpuIdentity> found;
  const unsigned count = ask<unsigned>(call_.device_count).value_or(0);
  for (unsigned index = 0; index < count; ++index) {
    nvml::Device handle = nullptr;
    // One lost GPU ("fallen off the bus") must not hide the others.
    if (call_.device_by_index == nullptr || call_.device_by_index(index, &handle) != nvml::kSuccess) continue;
    GpuIdentity identity;
    identity.index = index;
    identity.name = ask_text(call_, "nvmlDeviceGetName", call_.name, handle);
    identity.uuid = ask_text(call_, "nvmlDeviceGetUUID", call_.uuid, handle);
    int major = 0, minor = 0;
    const std::string why =
        refusal(call_, "nvmlDeviceGetCudaComputeCapability", call_.compute_capability, handle, &major, &minor);
    identity.architecture = why.empty() ? fmt::format("sm_{}{}", major, minor) : unknown(why);
    if (const auto memory = ask<nvml::Memory>(call_.memory, handle)) identity.memory_bytes = memory->total;
    found.push_back(identity);
  }
  return found;
}

GpuState Nvml::state(unsigned index) const {
  return StateReader(*this, index).read();
}

std::string Nvml::driver_version() const {
  return ask_text(call_, "nvmlSystemGetDriverVersion", call_.driver_version);
}

int Nvml::cuda_driver_version() const {
  return ask<int>(call_.cuda_driver_version).value_or(0);
}

bool nvidia_gpu_expected_in(const std::string& root) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path top(root);
  if (fs::exists(top / "proc/driver/nvidia", ignored) || fs::exists(top / "dev/nvidiactl", ignored)) return true;
  for (fs::directory_iterator entry(top / "sys/bus/pci/devices", ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const auto first_word = [&](const char* file) {
      std::string word;
      std::ifstream(entry->path() / file) >> word;
      return word;
    };
    // Class 03 is a display controller (3D controllers too): NVIDIA also makes network cards, bridges and audio
    // functions.
    if (first_word("vendor") == "0x10de" && first_word("class").rfind("0x03", 0) == 0) return true;
  }
  return false;
}

bool nvidia_gpu_expected() {
  return nvidia_gpu_expected_in("/");
}

}  // namespace kgate::fingerprint
