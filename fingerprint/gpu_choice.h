#pragma once

#include <string>
#include <vector>

#include "fingerprint/nvml.h"

namespace kgate::fingerprint {

// What --device means to NVML: a whole GPU, or a MIG instance and the GPU around it.
struct GpuChoice {
  unsigned index = 0;             // of the GPU
  nvml::Device gpu = nullptr;     // the whole one: clocks, power, firmware
  nvml::Device device = nullptr;  // what kernels run on: the same, or the instance: name, memory, multiprocessors
  bool instance = false;          // `device` is a MIG instance
  // MIG is on, and which instance CUDA takes cannot be told: none was named, and there is not exactly one. Else empty.
  std::string no_instance;
};

// `wanted`: an index, the beginning of a UUID ("GPU-...", "MIG-..."), or nothing for the first GPU. Throws
// Error(environment) where NVML lists nothing like it.
GpuChoice choose_gpu(const Nvml& nvml, const std::string& wanted);

// Everything that kernels can run on: each whole GPU, or its instances where MIG is on.
std::vector<GpuChoice> every_gpu(const Nvml& nvml);

std::string device_uuid(const Nvml& nvml, nvml::Device device);

// Whether --device may mean several GPUs: "all", a list with commas, or a name such as "NVIDIA H200" or "h200".
bool may_be_several(const std::string& wanted);
std::vector<std::string> words_of_list(const std::string& list);

// The UUIDs of all that it means, in the order of the list or of NVML, each once: whole GPUs, and of those in MIG mode
// their instances. Throws Error(environment) where NVML lists nothing like it, and Error(usage) for GPUs of different
// names: one run has one class.
std::vector<std::string> choose_gpus(const Nvml& nvml, const std::string& wanted);

}  // namespace kgate::fingerprint
