#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "fingerprint/gpu_fields.h"
#include "fingerprint/memory_bandwidth.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::fingerprint;
namespace abi = kgate::fingerprint::nvml;

namespace {

constexpr std::uintptr_t kGpu = 16, kFirstInstance = 32, kSecondInstance = 48;

// What the simulated NVML says; its functions are plain pointers and cannot hold it.
struct World {
  unsigned mig = 0, instances = 0;
  int answers_left = 1 << 30;  // then the GPU falls off the bus
};
World world;

abi::Device handle(std::uintptr_t number) {
  return reinterpret_cast<abi::Device>(number);
}
std::uintptr_t number_of(abi::Device device) {
  return reinterpret_cast<std::uintptr_t>(device);
}

abi::Result answer() {
  return world.answers_left-- > 0 ? abi::kSuccess : abi::kGpuIsLost;
}
abi::Result write(char* text, const char* value) {
  std::snprintf(text, abi::kStringLength, "%s", value);
  return answer();
}
template <unsigned value>
abi::Result number(abi::Device, unsigned* place) {
  *place = value;
  return answer();
}

const char* name_of(abi::Device device) {
  return number_of(device) == kGpu ? "NVIDIA H200" : "NVIDIA H200 MIG 3g.71gb";
}
const char* uuid_of(abi::Device device) {
  return number_of(device) == kGpu ? "GPU-aa" : number_of(device) == kFirstInstance ? "MIG-bb" : "MIG-cc";
}

void identity(abi::Functions& call) {
  call.init = [] { return abi::kSuccess; };
  call.error_string = [](abi::Result result) {
    return result == abi::kGpuIsLost ? "GPU is lost" : result == abi::kNotSupported ? "Not Supported" : "Not Found";
  };
  call.device_count = [](unsigned* count) {
    *count = 1;
    return abi::kSuccess;
  };
  call.device_by_index = [](unsigned, abi::Device* device) {
    *device = handle(kGpu);
    return world.answers_left > 0 ? abi::kSuccess : abi::kGpuIsLost;
  };
  call.name = [](abi::Device device, char* text, unsigned) { return write(text, name_of(device)); };
  call.uuid = [](abi::Device device, char* text, unsigned) { return write(text, uuid_of(device)); };
  call.compute_capability = [](abi::Device, int* major, int* minor) {
    *major = 9;
    *minor = 0;
    return answer();
  };
  call.memory = [](abi::Device device, abi::Memory* memory) {
    *memory = {number_of(device) == kGpu ? 150ull : 75ull, 1, 1};
    return answer();
  };
  call.core_count = number<16896>;
  call.attributes = [](abi::Device device, abi::Attributes* attributes) {
    attributes->multiprocessors = 60;
    return number_of(device) == kGpu ? abi::kNotSupported : answer();
  };
  call.mig_mode = [](abi::Device, unsigned* current, unsigned* pending) {
    *current = *pending = world.mig;
    return answer();
  };
  call.most_mig_instances = number<7>;
  call.mig_instance = [](abi::Device, unsigned index, abi::Device* device) {
    *device = handle(index == 0 ? kFirstInstance : kSecondInstance);
    return index < world.instances ? abi::kSuccess : abi::kNotFound;
  };
}

abi::Functions simulated() {
  world = {};
  abi::Functions call;
  identity(call);
  call.vbios_version = [](abi::Device, char* text, unsigned) { return write(text, "96.00.BC"); };
  call.inforom_version = [](abi::Device, char* text, unsigned) { return write(text, "G520.0280.00.05"); };
  call.gsp_version = [](abi::Device, char* text) { return write(text, "580.65.06"); };
  call.gsp_mode = [](abi::Device, unsigned* on, unsigned* by_default) {
    *on = *by_default = 1;
    return answer();
  };
  call.virtualization_mode = number<1>;
  call.compute_mode = number<9>;
  call.persistence_mode = number<1>;
  call.ecc_mode = [](abi::Device, unsigned* current, unsigned* pending) {
    *current = 1;
    *pending = 0;
    return answer();
  };
  call.ecc_errors = [](abi::Device, unsigned kind, unsigned since, unsigned long long* errors) {
    *errors = 10 * since + kind;
    return answer();
  };
  call.max_clock = [](abi::Device, unsigned kind, unsigned* mhz) {
    *mhz = kind == abi::kClockSm ? 1980 : 3201;
    return answer();
  };
  call.memory_bus_width = number<6016>;
  call.applications_clock = call.default_applications_clock = call.max_clock;
  call.power_limit = call.default_power_limit = number<700000>;
  call.power_limit_range = [](abi::Device, unsigned* least, unsigned* most) {
    *least = 200000;
    *most = 700000;
    return answer();
  };
  call.temperature_threshold = [](abi::Device, unsigned which, unsigned* value) {
    *value = which == abi::kSlowdownThreshold ? 87 : 92;
    return answer();
  };
  call.pcie_generation = number<1>;
  call.most_pcie_generation = number<5>;
  call.pcie_width = call.most_pcie_width = number<16>;
  call.pci_address = [](abi::Device, abi::PciAddress* pci) {
    pci->domain = 0;
    pci->bus = 0x3b;
    pci->device = 0;
    return answer();
  };
  return call;
}

Json fields_of(const abi::Functions& functions, const std::string& wanted = "", const std::string& root = "/nowhere") {
  const auto nvml = Nvml::over(functions, nullptr);
  return gpu_fields(*nvml, choose_gpu(*nvml, wanted), root);
}

}  // namespace

TEST_CASE("a GPU's fields tell its firmware, modes, limits, counters and place") {
  const TemporaryFolder root("kgate-test-");
  const auto place = root.path() / "sys/bus/pci/devices/0000:3b:00.0";
  std::filesystem::create_directories(place);
  std::ofstream(place / "numa_node") << "1\n";
  const Json fields = fields_of(simulated(), "", root.path().string());
  const Json expected = Json::parse(R"({
    "kind": "cuda", "name": "NVIDIA H200", "uuid": "GPU-aa", "architecture": "sm_90", "memory_bytes": 150,
    "multiprocessors": 132, "mig": "disabled", "mig_pending": "disabled", "mig_profile": "none",
    "vbios": "96.00.BC", "inforom": "G520.0280.00.05", "gsp_firmware": "580.65.06", "gsp_mode": "enabled",
    "virtualization": "passthrough", "compute_mode": "mode 9", "persistence": "enabled",
    "ecc": "enabled", "ecc_pending": "disabled", "corrected_ecc_errors": 0, "uncorrected_ecc_errors": 1,
    "lifetime_corrected_ecc_errors": 10, "lifetime_uncorrected_ecc_errors": 11,
    "max_sm_clock_mhz": 1980, "max_memory_clock_mhz": 3201, "applications_sm_clock_mhz": 1980,
    "applications_memory_clock_mhz": 3201, "default_applications_sm_clock_mhz": 1980,
    "default_applications_memory_clock_mhz": 3201,
    "locked_sm_clock_mhz": "unknown, because NVML sets locked clocks and does not tell them",
    "power_limit_mw": 700000, "default_power_limit_mw": 700000, "min_power_limit_mw": 200000,
    "max_power_limit_mw": 700000, "slowdown_temperature_c": 87, "shutdown_temperature_c": 92,
    "pcie_generation": 1, "max_pcie_generation": 5, "pcie_width": 16, "max_pcie_width": 16,
    "pci_address": "0000:3b:00.0", "numa_node": 1})");
  CHECK(fields == expected);
}

TEST_CASE("multiprocessors are not guessed for an architecture whose cores are not known") {
  auto newer = simulated();
  newer.compute_capability = [](abi::Device, int* major, int* minor) {
    *major = 77;
    *minor = 0;
    return abi::kSuccess;
  };
  CHECK(fields_of(newer)["multiprocessors"] ==
        "unknown, because NVML tells 16896 cores, and not how many a multiprocessor of this GPU has");
  newer.core_count = nullptr;
  CHECK(fields_of(newer)["multiprocessors"] == "unknown, because this driver's NVML has no nvmlDeviceGetNumGpuCores");
}

TEST_CASE("a GPU's memory bandwidth is twice its highest memory clock by the width of its bus, or not known") {
  auto functions = simulated();
  const auto bandwidth = [&] { return fingerprint::memory_bandwidth(*Nvml::over(functions, nullptr), 0); };
  CHECK(bandwidth() == 2.0 * 3201e6 * 6016 / 8);  // an H200: 4.8 TB/s
  functions.memory_bus_width = nullptr;           // an older driver
  CHECK(bandwidth() == 0);
  functions = simulated();
  functions.max_clock = [](abi::Device, unsigned, unsigned*) { return abi::kNotSupported; };
  CHECK(bandwidth() == 0);
}

TEST_CASE("the one MIG instance of a GPU is what kernels run on: its name, memory and multiprocessors") {
  const auto functions = simulated();
  world.mig = world.instances = 1;
  const Json fields = fields_of(functions);
  CHECK(fields["name"] == "NVIDIA H200 MIG 3g.71gb");
  CHECK(fields["uuid"] == "MIG-bb");
  CHECK(fields["memory_bytes"] == 75);
  CHECK(fields["multiprocessors"] == 60);
  CHECK(fields["mig"] == "enabled");
  CHECK(fields["mig_profile"] == "3g.71gb");
  CHECK(fields["max_sm_clock_mhz"] == 1980);  // the whole GPU's
}

TEST_CASE("of several MIG instances the one that is named is taken, and none where none is") {
  const auto functions = simulated();
  world.mig = 1;
  world.instances = 2;
  CHECK(fields_of(functions, "MIG-cc")["uuid"] == "MIG-cc");
  const Json whole = fields_of(functions);
  CHECK(whole["name"] == "NVIDIA H200");
  for (const char* field : {"memory_bytes", "multiprocessors", "mig_profile"})
    CHECK(whole[field] == "unknown, because GPU 0 has 2 MIG instances; name one with --device MIG-...");
  world.instances = 0;
  CHECK(fields_of(functions)["memory_bytes"] == "unknown, because GPU 0 is in MIG mode and has no instance");
  CHECK(error_of([&] { fields_of(functions, "MIG-zz"); }) ==
        "environment: device MIG-zz: is not among the 1 GPUs that NVML lists; list them with nvidia-smi -L");
}

TEST_CASE("a GPU that falls off the bus half-way leaves what was read, and says of the rest that it was lost") {
  const auto functions = simulated();
  const auto nvml = Nvml::over(functions, nullptr);
  const GpuChoice choice = choose_gpu(*nvml, "");
  world.answers_left = 6;  // name, uuid, capability, memory, cores, and VBIOS
  const Json fields = gpu_fields(*nvml, choice, "/nowhere");
  CHECK(fields["name"] == "NVIDIA H200");
  CHECK(fields["vbios"] == "96.00.BC");
  CHECK(fields["inforom"] == "unknown, because nvmlDeviceGetInforomImageVersion says: GPU is lost");
  CHECK(fields["ecc"] == "unknown, because nvmlDeviceGetEccMode says: GPU is lost");
  CHECK(fields["numa_node"] == "unknown, because nvmlDeviceGetPciInfo_v3 says: GPU is lost");
  const Json state = state_fields(*nvml, choice);
  CHECK(state["sm_clock_mhz"] == "unknown, because this driver's NVML has no nvmlDeviceGetClockInfo");
  CHECK(state["processes"] == "unknown, because GPU 0: nvmlDeviceGetHandleByIndex_v2 says: GPU is lost");
}

TEST_CASE("a GPU that was lost before is told in NVML's words, whether it was named or is the only one") {
  auto functions = simulated();
  functions.device_by_index = [](unsigned, abi::Device*) { return abi::kGpuIsLost; };
  const std::string lost =
      "environment: GPU 0: nvmlDeviceGetHandleByIndex_v2 says: GPU is lost; list the GPUs with nvidia-smi -L";
  CHECK(error_of([&] { fields_of(functions); }) == lost);
  CHECK(error_of([&] { fields_of(functions, "0"); }) == lost);
  functions.device_count = [](unsigned* count) {
    *count = 0;
    return abi::kSuccess;
  };
  CHECK(error_of([&] { fields_of(functions); }) == "environment: nvml: it lists no GPU; look at nvidia-smi");
}

TEST_CASE("the state tells performance level and memory's temperature, and each refusal in NVML's words") {
  auto functions = simulated();
  functions.performance_state = number<2>;
  functions.field_values = [](abi::Device, int, abi::FieldValue* value) {
    value->result = value->field == abi::kMemoryTemperatureField ? abi::kSuccess : abi::kNotSupported;
    value->type = abi::kUnsignedValue;
    value->value.as_unsigned = 41;
    return abi::kSuccess;
  };
  functions.power = [](abi::Device, unsigned*) { return abi::kNotSupported; };
  functions.processes = [](abi::Device, unsigned* count, abi::Process* list) {
    *count = 1;
    list[0] = {7, 1024, ~0u, ~0u};
    return abi::kSuccess;
  };
  functions.process_name = [](unsigned, char* text, unsigned) { return write(text, "/usr/bin/python3 -m x"); };
  const auto nvml = Nvml::over(functions, nullptr);
  Json state = state_fields(*nvml, choose_gpu(*nvml, ""));
  CHECK(state["performance_state"] == "P2");
  CHECK(state["memory_temperature_c"] == 41);
  CHECK(state["power_mw"] == "unknown, because nvmlDeviceGetPowerUsage says: Not Supported");
  CHECK(state["processes"] == Json::parse(R"([{"pid": 7, "memory_bytes": 1024, "name": "python3"}])"));
  CHECK(state["throttle_reasons"] ==
        "unknown, because this driver's NVML has no nvmlDeviceGetCurrentClocksEventReasons");
  functions.field_values = [](abi::Device, int, abi::FieldValue* value) {
    value->result = abi::kNotSupported;
    return abi::kSuccess;
  };
  const auto other = Nvml::over(functions, nullptr);
  state = state_fields(*other, choose_gpu(*other, ""));
  CHECK(state["memory_temperature_c"] == "unknown, because nvmlDeviceGetFieldValues says: Not Supported");
}
