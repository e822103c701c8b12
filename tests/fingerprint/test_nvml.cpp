#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "fingerprint/gpu_fields.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::fingerprint;
namespace abi = kgate::fingerprint::nvml;

namespace {

constexpr abi::Result kNotSupported = 3;

abi::Device handle_of(unsigned index) {
  return reinterpret_cast<abi::Device>(static_cast<std::uintptr_t>(16 * (index + 1)));
}
unsigned index_of(abi::Device device) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device) / 16 - 1);
}

// Two GPUs; the second one is lost.
abi::Functions fake() {
  abi::Functions call;
  call.init = [] { return abi::kSuccess; };
  call.shutdown = [] { return abi::kSuccess; };
  call.error_string = [](abi::Result result) { return result == kNotSupported ? "Not Supported" : "Unknown Error"; };
  call.driver_version = [](char* text, unsigned length) {
    std::snprintf(text, length, "580.159.04");
    return abi::kSuccess;
  };
  call.cuda_driver_version = [](int* version) {
    *version = 13000;
    return abi::kSuccess;
  };
  call.device_count = [](unsigned* count) {
    *count = 2;
    return abi::kSuccess;
  };
  call.device_by_index = [](unsigned index, abi::Device* device) {
    *device = handle_of(index);
    return index == 0 ? abi::kSuccess : 15;
  };
  call.name = [](abi::Device, char* text, unsigned length) {
    std::snprintf(text, length, "NVIDIA H200");
    return abi::kSuccess;
  };
  call.uuid = [](abi::Device device, char* text, unsigned length) {
    std::snprintf(text, length, "GPU-%u", index_of(device));
    return abi::kSuccess;
  };
  call.compute_capability = [](abi::Device, int* major, int* minor) {
    *major = 9;
    *minor = 0;
    return abi::kSuccess;
  };
  call.memory = [](abi::Device, abi::Memory* memory) {
    *memory = {150000000000ull, 149000000000ull, 1000000000ull};
    return abi::kSuccess;
  };
  call.clock = [](abi::Device, unsigned type, unsigned* mhz) {
    *mhz = type == abi::kClockSm ? 1980 : 3201;
    return abi::kSuccess;
  };
  call.power = [](abi::Device, unsigned*) { return kNotSupported; };
  call.throttle_reasons = [](abi::Device, unsigned long long* bits) {
    *bits = abi::kReasonIdle | abi::kReasonSwPowerCap | abi::kReasonHwThermal;
    return abi::kSuccess;
  };
  call.processes = [](abi::Device, unsigned* count, abi::Process* list) {
    const unsigned room = *count;
    *count = 20;
    if (room < 20) return abi::kInsufficientSize;
    for (unsigned i = 0; i < 20; ++i) list[i] = {100 + i, i == 0 ? ~0ull : 1024ull * i, ~0u, ~0u};
    return abi::kSuccess;
  };
  call.ecc_mode = [](abi::Device, unsigned* current, unsigned* pending) {
    *current = *pending = 1;
    return abi::kSuccess;
  };
  call.mig_mode = [](abi::Device, unsigned*, unsigned*) { return kNotSupported; };
  return call;
}

}  // namespace

TEST_CASE("NVML's devices are listed, and a lost one does not hide the others") {
  const auto nvml = Nvml::over(fake(), nullptr);
  REQUIRE(nvml);
  const auto devices = nvml->devices();
  REQUIRE(devices.size() == 1);
  CHECK(devices[0].name == "NVIDIA H200");
  CHECK(devices[0].uuid == "GPU-0");
  CHECK(devices[0].architecture == "sm_90");
  CHECK(devices[0].memory_bytes == 150000000000ull);
  CHECK(nvml->driver_version() == "580.159.04");
  CHECK(nvml->cuda_driver_version() == 13000);
}

TEST_CASE("the state of a GPU has what can be read, and nothing made up for the rest") {
  const auto nvml = Nvml::over(fake(), nullptr);
  const GpuState state = nvml->state(0);
  CHECK(state.sm_clock_mhz == 1980u);
  CHECK(state.memory_clock_mhz == 3201u);
  CHECK(!state.power_mw);
  CHECK(!state.temperature_c);
  CHECK(state.throttle_reasons == std::vector<std::string>{"sw_power_cap", "hw_thermal_slowdown"});
  REQUIRE(state.processes.size() == 20);
  CHECK(state.processes[0].pid == 100);
  CHECK(state.processes[0].memory_bytes == 0);
  CHECK(state.processes[19].memory_bytes == 1024 * 19);
}

TEST_CASE("a field that cannot be read says why") {
  const auto nvml = Nvml::over(fake(), nullptr);
  const Json fields = gpu_fields(*nvml, choose_gpu(*nvml, ""), "/");
  CHECK(fields["name"] == "NVIDIA H200");
  CHECK(fields["ecc"] == "enabled");
  CHECK(fields["memory_bytes"] == 150000000000ull);
  CHECK(fields["mig"] == "unknown, because nvmlDeviceGetMigMode says: Not Supported");
  CHECK(fields["vbios"] == "unknown, because this driver's NVML has no nvmlDeviceGetVbiosVersion");
}

TEST_CASE("a GPU that is lost or does not exist is an environment error") {
  const auto nvml = Nvml::over(fake(), nullptr);
  CHECK(error_of([&] { nvml->state(1); }) ==
        "environment: GPU 1: nvmlDeviceGetHandleByIndex_v2 says: Unknown Error; list the GPUs with nvidia-smi -L");
}

TEST_CASE("an NVML that does not start says why") {
  auto broken = fake();
  broken.init = [] { return kNotSupported; };
  std::string why;
  CHECK(!Nvml::over(broken, &why));
  CHECK(why == "nvmlInit_v2 says: Not Supported");
  CHECK(!Nvml::over({}, &why));
  CHECK(why == "this driver's NVML has no nvmlInit_v2");
}

TEST_CASE("a GPU of NVIDIA's is expected where the driver or the card can be seen") {
  const TemporaryFolder root("kgate-test-");
  const auto card = [&](const char* name, const char* vendor, const char* kind) {
    const auto folder = root.path() / "sys/bus/pci/devices" / name;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "vendor") << vendor << '\n';
    std::ofstream(folder / "class") << kind << '\n';
  };
  CHECK(!nvidia_gpu_expected_in(root.path().string()));
  card("0000:00:01.0", "0x8086", "0x030000");
  card("0000:00:02.0", "0x10de", "0x020000");  // a network card
  CHECK(!nvidia_gpu_expected_in(root.path().string()));
  card("0000:00:03.0", "0x10de", "0x030200");
  CHECK(nvidia_gpu_expected_in(root.path().string()));
  const TemporaryFolder driver("kgate-test-");
  std::filesystem::create_directories(driver.path() / "proc/driver/nvidia");
  CHECK(nvidia_gpu_expected_in(driver.path().string()));
}
