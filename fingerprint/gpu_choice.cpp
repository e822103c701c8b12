#include "fingerprint/gpu_choice.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::string uuid_of(const nvml::Functions& call, nvml::Device device) {
  return ask_text(call, "nvmlDeviceGetUUID", call.uuid, device);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// "h200" means what NVML calls "NVIDIA H200", and not "NVIDIA H200 NVL".
bool is_name(const std::string& name, const std::string& wanted) {
  return lower(name) == lower(wanted) || lower(name) == "nvidia " + lower(wanted);
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

std::vector<std::string> words_of_list(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

std::string device_uuid(const Nvml& nvml, nvml::Device device) {
  return uuid_of(nvml.functions(), device);
}

bool may_be_several(const std::string& wanted) {
  if (wanted.empty() || wanted.starts_with("GPU-") || wanted.starts_with("MIG-"))
    return wanted.find(',') != std::string::npos;
  return wanted.find_first_not_of("0123456789") != std::string::npos;
}

std::vector<std::string> choose_gpus(const Nvml& nvml, const std::string& wanted) {
  const auto& call = nvml.functions();
  std::vector<std::string> found;
  std::set<std::string> names;
  const auto add = [&](nvml::Device device, const std::string& name) {
    const std::string uuid = uuid_of(call, device);
    if (std::find(found.begin(), found.end(), uuid) == found.end()) found.push_back(uuid);
    names.insert(name);
  };
  const auto add_all_of = [&](const GpuIdentity& gpu) {
    const nvml::Device whole_gpu = nvml.device(gpu.index);
    const auto instances = mig_is_on(call, whole_gpu) ? instances_of(call, whole_gpu) : std::vector{whole_gpu};
    for (nvml::Device device : instances) add(device, ask_text(call, "nvmlDeviceGetName", call.name, device));
  };
  const std::vector<GpuIdentity> gpus = nvml.devices();
  for (const std::string& word : words_of_list(wanted)) {
    if (!may_be_several(word)) {
      const GpuChoice choice = choose_gpu(nvml, word);
      if (!choice.no_instance.empty()) throw Error(ErrorKind::environment, "device " + word, choice.no_instance);
      add(choice.device, ask_text(call, "nvmlDeviceGetName", call.name, choice.device));
      continue;
    }
    const std::size_t before = found.size();
    for (const GpuIdentity& gpu : gpus) {
      if (word == "all" || is_name(gpu.name, word)) add_all_of(gpu);
    }
    if (found.size() == before && (word != "all" || before == 0)) {
      throw Error(ErrorKind::environment, "device " + word,
                  fmt::format("is not among the {} GPUs that NVML lists", gpus.size()), "list them with nvidia-smi -L");
    }
  }
  if (names.size() > 1) {
    throw Error(ErrorKind::usage, "device " + wanted,
                fmt::format("means GPUs of several kinds: {}", fmt::join(names, ", ")),
                "one run has one kind; name it, as in --device \"" + *names.begin() + "\"");
  }
  return found;
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
