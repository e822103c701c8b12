#include "gate/lease/devices.h"

#include <cstdio>
#include <memory>

#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::lease;
namespace abi = kgate::fingerprint::nvml;

namespace {

// Two GPUs: the first in MIG mode with as many instances as `instances` says, or not; the second never.
int instances = 0;
bool mig = false;

abi::Device handle(std::uintptr_t number) {
  return reinterpret_cast<abi::Device>(number);
}
std::uintptr_t number_of(abi::Device device) {
  return reinterpret_cast<std::uintptr_t>(device);
}

std::unique_ptr<fingerprint::Nvml> machine() {
  abi::Functions call;
  call.init = [] { return abi::kSuccess; };
  call.device_count = [](unsigned* count) {
    *count = 2;
    return abi::kSuccess;
  };
  call.device_by_index = [](unsigned index, abi::Device* device) {
    *device = handle((index + 1) * 100);
    return abi::kSuccess;
  };
  call.name = [](abi::Device, char* text, unsigned length) {
    std::snprintf(text, length, "NVIDIA H200");
    return abi::kSuccess;
  };
  call.uuid = [](abi::Device device, char* text, unsigned length) {
    const auto number = number_of(device);
    std::snprintf(text, length, "%s-%u", number % 100 == 0 ? "GPU" : "MIG", static_cast<unsigned>(number));
    return abi::kSuccess;
  };
  call.mig_mode = [](abi::Device device, unsigned* current, unsigned* pending) {
    *current = *pending = mig && number_of(device) == 100 ? 1 : 0;
    return abi::kSuccess;
  };
  call.most_mig_instances = [](abi::Device, unsigned* count) {
    *count = 7;
    return abi::kSuccess;
  };
  call.mig_instance = [](abi::Device gpu, unsigned index, abi::Device* instance) {
    if (!mig || number_of(gpu) != 100 || static_cast<int>(index) >= instances) return abi::kNotFound;
    *instance = handle(101 + index);
    return abi::kSuccess;
  };
  return fingerprint::Nvml::over(call, nullptr);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a device is named by index, by the beginning of its UUID, as the first, as all, or as the host") {
  mig = false;
  const auto nvml = machine();
  CHECK(lease_devices(nvml.get(), "") == Names{"GPU-100"});
  CHECK(lease_devices(nvml.get(), "1") == Names{"GPU-200"});
  CHECK(lease_devices(nvml.get(), "GPU-2") == Names{"GPU-200"});
  CHECK(lease_devices(nvml.get(), "all") == Names{"GPU-100", "GPU-200"});
  CHECK(lease_devices(nvml.get(), "host") == Names{"host"});
  CHECK(lease_devices(nullptr, "host") == Names{"host"});
}

TEST_CASE("in MIG mode instances are leased, each apart, and never the GPU around them") {
  mig = true;
  instances = 2;
  const auto nvml = machine();
  CHECK(lease_devices(nvml.get(), "all") == Names{"MIG-101", "MIG-102", "GPU-200"});
  CHECK(lease_devices(nvml.get(), "MIG-102") == Names{"MIG-102"});
  CHECK(error_of([&] { lease_devices(nvml.get(), "GPU-100"); }) ==
        "environment: device GPU-100: GPU 0 has 2 MIG instances; name one with --device MIG-...; list them with "
        "nvidia-smi -L");
  instances = 1;
  CHECK(lease_devices(nvml.get(), "0") == Names{"MIG-101"});
}

TEST_CASE("a GPU that is not there, and a machine without a driver, are told with a remedy") {
  mig = false;
  const auto nvml = machine();
  CHECK(error_of([&] { lease_devices(nvml.get(), "7"); }) ==
        "environment: device 7: is not among the 2 GPUs that NVML lists; list them with nvidia-smi -L");
  CHECK(error_of([] { lease_devices(nullptr, "0"); }) ==
        "environment: device 0: cannot be found: there is no NVIDIA driver here; install the driver, or in a container "
        "start it with the GPU; --device host is the processor");
}
