#pragma once

#include <string>
#include <vector>

#include "fingerprint/nvml.h"

namespace kgate::lease {

// The processor itself, for runs of the host backend.
constexpr const char* kHostDevice = "host";

// A GPU, or a MIG instance, as NVML lists it.
struct ListedDevice {
  std::string uuid, name;  // "GPU-...", "NVIDIA H200"
  unsigned index = 0;      // of the whole GPU
  bool instance = false;   // of MIG
};
std::vector<ListedDevice> listed_devices(const fingerprint::Nvml& nvml);

// What --device names, as the queue knows it: "host", or UUIDs. `wanted`: an index, the beginning of a UUID, "host", or
// "all" (GPUs); nothing for the first GPU. `nvml`: null where there is no NVIDIA driver. A GPU in MIG mode stands for
// its one instance: nothing runs on such a GPU as a whole, so it and its instances never need to exclude each other.
// Throws Error(environment) where there is no such GPU, or it has several instances.
std::vector<std::string> lease_devices(const fingerprint::Nvml* nvml, const std::string& wanted);

}  // namespace kgate::lease
