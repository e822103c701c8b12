#include "gate/lease/devices.h"

#include "base/error.h"
#include "fingerprint/gpu_choice.h"
#include "fingerprint/nvml_ask.h"
#include "gate/lease/ticket.h"

namespace kgate::lease {
namespace {

std::string uuid_of(const fingerprint::Nvml& nvml, fingerprint::nvml::Device device) {
  return fingerprint::ask_text(nvml.functions(), "nvmlDeviceGetUUID", nvml.functions().uuid, device);
}

}  // namespace

std::vector<ListedDevice> listed_devices(const fingerprint::Nvml& nvml) {
  std::vector<ListedDevice> found;
  for (const auto& choice : fingerprint::every_gpu(nvml)) {
    found.push_back({uuid_of(nvml, choice.device),
                     fingerprint::ask_text(nvml.functions(), "nvmlDeviceGetName", nvml.functions().name, choice.device),
                     choice.index, choice.instance});
  }
  return found;
}

std::vector<std::string> lease_devices(const fingerprint::Nvml* nvml, const std::string& wanted) {
  if (wanted == kHostDevice) return {kHostDevice};
  if (nvml == nullptr) {
    throw Error(ErrorKind::environment, wanted.empty() ? "GPU" : "device " + wanted,
                "cannot be found: there is no NVIDIA driver here",
                "install the driver, or in a container start it with the GPU; --device host is the processor");
  }
  std::vector<std::string> uuids;
  if (wanted == "all") {
    for (const auto& device : listed_devices(*nvml)) uuids.push_back(device.uuid);
    if (uuids.empty()) throw Error(ErrorKind::environment, "nvml", "it lists no GPU", "look at nvidia-smi");
  } else {
    const auto choice = fingerprint::choose_gpu(*nvml, wanted);
    if (!choice.no_instance.empty())
      throw Error(ErrorKind::environment, "device " + wanted, choice.no_instance, "list them with nvidia-smi -L");
    uuids.push_back(uuid_of(*nvml, choice.device));
  }
  for (const auto& uuid : uuids) {
    if (!is_device_name(uuid))
      throw Error(ErrorKind::environment, "GPU", "its UUID is \"" + uuid + "\"", "look at nvidia-smi -L");
  }
  return uuids;
}

}  // namespace kgate::lease
