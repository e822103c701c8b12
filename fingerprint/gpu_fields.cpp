#include "fingerprint/gpu_fields.h"

#include <array>

#include <fmt/format.h>

#include "fingerprint/gpu_questions.h"
#include "fingerprint/host.h"

namespace kgate::fingerprint {
namespace {

constexpr std::array kComputeModes{"default", "exclusive_thread", "prohibited", "exclusive_process"};
constexpr std::array kVirtualizationModes{"none", "passthrough", "vgpu", "host_vgpu", "host_vsga"};

// CUDA cores of one multiprocessor: the table of throughputs in "CUDA C++ Programming Guide" (32-bit floating-point
// additions a clock). 0: not in the table.
unsigned cores_per_multiprocessor(int major, int minor) {
  switch (major) {
    case 7:
      return 64;
    case 8:
      return minor == 0 ? 64 : 128;
    case 9:
    case 10:
    case 12:
      return 128;
    default:
      return 0;
  }
}

// NVML tells the multiprocessors of MIG instances alone, and of whole GPUs their cores.
Json multiprocessors(const nvml::Functions& call, const GpuChoice& choice, int major, int minor) {
  if (choice.instance) {
    nvml::Attributes attributes{};
    const std::string why = refusal(call, "nvmlDeviceGetAttributes_v2", call.attributes, choice.device, &attributes);
    return why.empty() ? Json(attributes.multiprocessors) : Json(unknown(why));
  }
  unsigned cores = 0;
  const std::string why = refusal(call, "nvmlDeviceGetNumGpuCores", call.core_count, choice.gpu, &cores);
  if (!why.empty()) return unknown(why);
  const unsigned each = cores_per_multiprocessor(major, minor);
  if (each == 0 || cores % each != 0)
    return unknown(fmt::format("NVML tells {} cores, and not how many a multiprocessor of this GPU has", cores));
  return cores / each;
}

// A MIG instance's name ends in it: "NVIDIA H200 MIG 1g.18gb".
Json mig_profile(const Json& name, const GpuChoice& choice) {
  if (!choice.no_instance.empty()) return unknown(choice.no_instance);
  if (!choice.instance) return "none";
  constexpr std::string_view kMark = " MIG ";
  const std::string text = name.get<std::string>();
  const auto at = text.find(kMark);
  return at != std::string::npos ? text.substr(at + kMark.size()) : unknown("the instance's name does not tell it");
}

void what_it_is(const nvml::Functions& call, const GpuChoice& choice, Json& fields) {
  Questions ask(call, fields);
  ask.text("name", "nvmlDeviceGetName", call.name, choice.device);
  ask.text("uuid", "nvmlDeviceGetUUID", call.uuid, choice.device);
  int major = 0, minor = 0;
  const std::string why =
      refusal(call, "nvmlDeviceGetCudaComputeCapability", call.compute_capability, choice.gpu, &major, &minor);
  fields["architecture"] = why.empty() ? fmt::format("sm_{}{}", major, minor) : unknown(why);
  nvml::Memory memory{};
  const std::string no_memory = refusal(call, "nvmlDeviceGetMemoryInfo", call.memory, choice.device, &memory);
  fields["memory_bytes"] = no_memory.empty() ? Json(memory.total) : Json(unknown(no_memory));
  fields["multiprocessors"] =
      why.empty() ? multiprocessors(call, choice, major, minor) : Json("unknown, because the architecture is unknown");
  fields["mig_profile"] = mig_profile(fields["name"], choice);
  // The whole GPU's would pass for the instance's.
  if (!choice.no_instance.empty()) {
    for (const char* field : {"memory_bytes", "multiprocessors"}) fields[field] = unknown(choice.no_instance);
  }
}

void firmware(const nvml::Functions& call, nvml::Device gpu, Json& fields) {
  Questions ask(call, fields);
  ask.text("vbios", "nvmlDeviceGetVbiosVersion", call.vbios_version, gpu);
  ask.text("inforom", "nvmlDeviceGetInforomImageVersion", call.inforom_version, gpu);
  std::array<char, nvml::kStringLength + 1> text{};
  const std::string why = refusal(call, "nvmlDeviceGetGspFirmwareVersion", call.gsp_version, gpu, text.data());
  fields["gsp_firmware"] = why.empty() ? std::string(text.data()) : unknown(why);
  unsigned on = 0, by_default = 0;
  const std::string no_mode = refusal(call, "nvmlDeviceGetGspFirmwareMode", call.gsp_mode, gpu, &on, &by_default);
  fields["gsp_mode"] = !no_mode.empty() ? unknown(no_mode) : on != 0 ? "enabled" : "disabled";
}

void modes(const nvml::Functions& call, nvml::Device gpu, Json& fields) {
  Questions ask(call, fields);
  ask.pair("ecc", "ecc_pending", "nvmlDeviceGetEccMode", call.ecc_mode, gpu);
  ask.pair("mig", "mig_pending", "nvmlDeviceGetMigMode", call.mig_mode, gpu);
  ask.number("persistence", "nvmlDeviceGetPersistenceMode", call.persistence_mode, gpu);
  for (const char* field : {"ecc", "ecc_pending", "mig", "mig_pending", "persistence"}) ask.as_switch(field);
  ask.number("compute_mode", "nvmlDeviceGetComputeMode", call.compute_mode, gpu);
  ask.as_word("compute_mode", kComputeModes);
  ask.number("virtualization", "nvmlDeviceGetVirtualizationMode", call.virtualization_mode, gpu);
  ask.as_word("virtualization", kVirtualizationModes);
}

void ecc_counters(const nvml::Functions& call, nvml::Device gpu, Json& fields) {
  Questions ask(call, fields);
  const auto count = [&](const char* field, unsigned kind, unsigned since) {
    ask.number<unsigned long long>(field, "nvmlDeviceGetTotalEccErrors", call.ecc_errors, gpu, kind, since);
  };
  count("uncorrected_ecc_errors", nvml::kEccUncorrected, nvml::kEccVolatile);
  count("corrected_ecc_errors", nvml::kEccCorrected, nvml::kEccVolatile);
  count("lifetime_uncorrected_ecc_errors", nvml::kEccUncorrected, nvml::kEccAggregate);
  count("lifetime_corrected_ecc_errors", nvml::kEccCorrected, nvml::kEccAggregate);
}

void limits(const nvml::Functions& call, nvml::Device gpu, Json& fields) {
  Questions ask(call, fields);
  const auto clock = [&](const char* field, const char* name, auto* function, unsigned kind) {
    ask.number(field, name, function, gpu, kind);
  };
  clock("max_sm_clock_mhz", "nvmlDeviceGetMaxClockInfo", call.max_clock, nvml::kClockSm);
  clock("max_memory_clock_mhz", "nvmlDeviceGetMaxClockInfo", call.max_clock, nvml::kClockMemory);
  clock("applications_sm_clock_mhz", "nvmlDeviceGetApplicationsClock", call.applications_clock, nvml::kClockSm);
  clock("applications_memory_clock_mhz", "nvmlDeviceGetApplicationsClock", call.applications_clock, nvml::kClockMemory);
  clock("default_applications_sm_clock_mhz", "nvmlDeviceGetDefaultApplicationsClock", call.default_applications_clock,
        nvml::kClockSm);
  clock("default_applications_memory_clock_mhz", "nvmlDeviceGetDefaultApplicationsClock",
        call.default_applications_clock, nvml::kClockMemory);
  // It sets them (nvidia-smi --lock-gpu-clocks) and has no function that reads them back.
  fields["locked_sm_clock_mhz"] = unknown("NVML sets locked clocks and does not tell them");
  ask.number("power_limit_mw", "nvmlDeviceGetEnforcedPowerLimit", call.power_limit, gpu);
  ask.number("default_power_limit_mw", "nvmlDeviceGetPowerManagementDefaultLimit", call.default_power_limit, gpu);
  ask.pair("min_power_limit_mw", "max_power_limit_mw", "nvmlDeviceGetPowerManagementLimitConstraints",
           call.power_limit_range, gpu);
  ask.number("slowdown_temperature_c", "nvmlDeviceGetTemperatureThreshold", call.temperature_threshold, gpu,
             nvml::kSlowdownThreshold);
  ask.number("shutdown_temperature_c", "nvmlDeviceGetTemperatureThreshold", call.temperature_threshold, gpu,
             nvml::kShutdownThreshold);
}

void bus(const nvml::Functions& call, nvml::Device gpu, const std::string& root, Json& fields) {
  Questions ask(call, fields);
  ask.number("pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration", call.pcie_generation, gpu);
  ask.number("max_pcie_generation", "nvmlDeviceGetMaxPcieLinkGeneration", call.most_pcie_generation, gpu);
  ask.number("pcie_width", "nvmlDeviceGetCurrPcieLinkWidth", call.pcie_width, gpu);
  ask.number("max_pcie_width", "nvmlDeviceGetMaxPcieLinkWidth", call.most_pcie_width, gpu);
  nvml::PciAddress pci{};
  const std::string why = refusal(call, "nvmlDeviceGetPciInfo_v3", call.pci_address, gpu, &pci);
  // As the kernel writes it in sysfs.
  const std::string address = fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
  fields["pci_address"] = why.empty() ? address : unknown(why);
  fields["numa_node"] = why.empty() ? pci_numa_node(root, address) : Json(unknown(why));
}

}  // namespace

Json gpu_fields(const Nvml& nvml, const GpuChoice& choice, const std::string& root) {
  const nvml::Functions& call = nvml.functions();
  Json fields = {{"kind", "cuda"}};
  what_it_is(call, choice, fields);
  firmware(call, choice.gpu, fields);
  modes(call, choice.gpu, fields);
  ecc_counters(call, choice.gpu, fields);
  limits(call, choice.gpu, fields);
  bus(call, choice.gpu, root, fields);
  return fields;
}

}  // namespace kgate::fingerprint
