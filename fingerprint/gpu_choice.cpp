#include "fingerprint/gpu_choice.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "fingerprint/nvml_ask.h"

namespace kgate::fingerprint {
namespace {

constexpr unsigned kMostInstances = 64;  // NVIDIA's GPUs have at most 7; a broken answer must not make a long loop

bool mig_is_on(const nvml::Functions& call, nvml::Device gpu) {
  unsigned current = 0, pending = 0;
  return call.mig_mode != nullptr && call.mig_mode(gpu, &current, &pending) == nvml::kSuccess && current != 0;
}

std::vector<nvml::Device> instances_of(const nvml::Functions& call, nvml::Device gpu) {
  std::vector<nvml::Device> found;
  const unsigned most = std::min(ask<unsigned>(call.most_mig_instances, gpu).value_or(0), kMostInstances);
  for (unsigned i = 0; i < most; ++i) {
    // Places without an instance, and instances of other containers, are "not found".
    if (const auto instance = ask<nvml::Device>(call.mig_instance, gpu, i)) found.push_back(*instance);
  }
  return found;
}

GpuChoice whole(const Nvml& nvml, unsigned index) {
  GpuChoice choice;
  choice.index = index;
  choice.gpu = choice.device = nvml.device(index);
  if (!mig_is_on(nvml.functions(), choice.gpu)) return choice;
  const auto instances = instances_of(nvml.functions(), choice.gpu);
  if (instances.size() == 1) {
    choice.device = instances.front();
    choice.instance = true;
  } else if (instances.empty()) {
    choice.no_instance = fmt::format("GPU {} is in MIG mode and has no instance", index);
  } else {
    choice.no_instance =
        fmt::format("GPU {} has {} MIG instances; name one with --device MIG-...", index, instances.size());
  }
  return choice;
}

bool begins(const std::string& uuid, const std::string& wanted) {
  return wanted.size() > 4 && uuid.starts_with(wanted);
}

}  // namespace

GpuChoice choose_gpu(const Nvml& nvml, const std::string& wanted) {
  const std::vector<GpuIdentity> gpus = nvml.devices();
  const auto& call = nvml.functions();
  const unsigned count = ask<unsigned>(call.device_count).value_or(0);
  if (count == 0) throw Error(ErrorKind::environment, "nvml", "it lists no GPU", "look at nvidia-smi");
  if (wanted.empty()) return whole(nvml, gpus.empty() ? 0 : gpus.front().index);
  // By its index, so that one that is there and lost says that it is lost.
  for (unsigned index = 0; index < count; ++index) {
    if (std::to_string(index) == wanted) return whole(nvml, index);
  }
  for (const GpuIdentity& gpu : gpus) {
    if (begins(gpu.uuid, wanted)) return whole(nvml, gpu.index);
    if (!wanted.starts_with("MIG-")) continue;
    const nvml::Device around = nvml.device(gpu.index);
    for (nvml::Device instance : instances_of(call, around)) {
      if (begins(ask_text(call, "nvmlDeviceGetUUID", call.uuid, instance), wanted))
        return {gpu.index, around, instance, true, {}};
    }
  }
  throw Error(ErrorKind::environment, "device " + wanted,
              fmt::format("is not among the {} GPUs that NVML lists", count), "list them with nvidia-smi -L");
}

std::vector<GpuChoice> every_gpu(const Nvml& nvml) {
  std::vector<GpuChoice> found;
  for (const GpuIdentity& gpu : nvml.devices()) {
    const nvml::Device device = nvml.device(gpu.index);
    if (!mig_is_on(nvml.functions(), device)) found.push_back({gpu.index, device, device, false, {}});
    for (nvml::Device instance : instances_of(nvml.functions(), device))
      found.push_back({gpu.index, device, instance, true, {}});
  }
  return found;
}

}  // namespace kgate::fingerprint
