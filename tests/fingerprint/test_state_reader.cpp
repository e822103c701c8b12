#include <cstdio>
#include <fstream>

#include <unistd.h>

#include "fingerprint/state_reader.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::fingerprint;
namespace abi = kgate::fingerprint::nvml;

namespace {

constexpr unsigned kNobody = 0x7ffffff0;  // above the kernel's largest pid

// What the simulated NVML says; its functions are plain pointers and cannot hold it.
struct World {
  abi::Result utilisation = abi::kSuccess;
  std::vector<abi::ProcessUtilization> samples;
  unsigned compute_pid = 4242;
  int asked_utilisation = 0, asked_names = 0;
};
World world;

// One GPU with a compute process, which has graphics too, and a process with graphics alone.
abi::Functions simulated() {
  world = {};
  abi::Functions call;
  call.init = [] { return abi::kSuccess; };
  call.device_by_index = [](unsigned index, abi::Device*) { return index == 0 ? abi::kSuccess : 15; };
  call.processes = [](abi::Device, unsigned* count, abi::Process* list) {
    *count = 1;
    list[0] = {world.compute_pid, 1024, ~0u, ~0u};
    return abi::kSuccess;
  };
  call.graphics_processes = [](abi::Device, unsigned* count, abi::Process* list) {
    *count = 2;
    list[0] = {world.compute_pid, 1024, ~0u, ~0u};
    list[1] = {kNobody, 2048, ~0u, ~0u};
    return abi::kSuccess;
  };
  call.process_utilization = [](abi::Device, abi::ProcessUtilization* list, unsigned* count, unsigned long long since) {
    ++world.asked_utilisation;
    unsigned found = 0;
    for (const auto& sample : world.samples) {
      if (sample.time_us > since) list[found++] = sample;
    }
    *count = found;
    return world.utilisation != abi::kSuccess || found > 0 ? world.utilisation : abi::kNotFound;
  };
  call.process_name = [](unsigned pid, char* text, unsigned length) {
    ++world.asked_names;
    if (pid != 4242) return abi::kNotFound;
    std::snprintf(text, length, "/usr/bin/python3 train.py --token=secret");
    return abi::kSuccess;
  };
  call.ecc_errors = [](abi::Device, unsigned, unsigned, unsigned long long* errors) {
    *errors = 3;
    return abi::kSuccess;
  };
  return call;
}

}  // namespace

TEST_CASE("a process has its program's name, without folder and arguments, and is listed once") {
  const auto nvml = Nvml::over(simulated(), nullptr);
  const GpuState state = StateReader(*nvml, 0).read();
  REQUIRE(state.processes.size() == 1);
  CHECK(state.processes[0].name == "python3");
  REQUIRE(state.without_compute.size() == 1);
  CHECK(state.without_compute[0].pid == kNobody);
  CHECK(state.without_compute[0].memory_bytes == 2048);
  CHECK(state.without_compute[0].name.empty());
  CHECK(state.uncorrected_ecc_errors == 3u);
}

TEST_CASE("where NVML tells no name the kernel does, and each process is asked for once") {
  const auto nvml = Nvml::over(simulated(), nullptr);
  world.compute_pid = static_cast<unsigned>(::getpid());
  std::string own;
  std::getline(std::ifstream("/proc/self/comm"), own);
  StateReader reader(*nvml, 0);
  CHECK(reader.read().processes[0].name == own);
  CHECK(reader.read().processes[0].name == own);
  CHECK(world.asked_names == 2);  // two processes, two readings
}

TEST_CASE("what each process uses is asked in every fourth reading, and only what is new counts") {
  const auto nvml = Nvml::over(simulated(), nullptr);
  StateReader reader(*nvml, 0);
  world.samples = {{4242, 1000, 30, 70, 0, 0}, {77, 1000, 0, 0, 5, 0}};
  const GpuState first = reader.read();
  CHECK(first.tells_utilisation);
  CHECK(first.processes[0].utilisation_percent == 70u);
  REQUIRE(first.without_compute.size() == 2);
  CHECK(first.without_compute[0].utilisation_percent == 0u);
  CHECK(first.without_compute[1].pid == 77);  // in no list of processes, but it uses the GPU
  CHECK(first.without_compute[1].utilisation_percent == 5u);
  for (int i = 0; i < 3; ++i) {
    const GpuState between = reader.read();
    CHECK(between.tells_utilisation);
    CHECK(!between.processes[0].utilisation_percent);
  }
  CHECK(reader.read().processes[0].utilisation_percent == 0u);
  CHECK(world.asked_utilisation == 2);
}

TEST_CASE("a driver that refuses to tell what a process uses is asked once, and that is no error") {
  for (const abi::Result refusal : {abi::kNotSupported, abi::kNoPermission}) {
    const auto nvml = Nvml::over(simulated(), nullptr);
    world.utilisation = refusal;
    StateReader reader(*nvml, 0);
    for (int i = 0; i < 9; ++i) {
      const GpuState state = reader.read();
      CHECK(!state.tells_utilisation);
      CHECK(!state.processes[0].utilisation_percent);
    }
    CHECK(world.asked_utilisation == 1);
  }
}

TEST_CASE("an older NVML without the newer functions gives what it has") {
  auto old = simulated();
  old.graphics_processes = nullptr;
  old.process_utilization = nullptr;
  old.process_name = nullptr;
  old.ecc_errors = nullptr;
  const auto nvml = Nvml::over(old, nullptr);
  const GpuState state = nvml->state(0);
  REQUIRE(state.processes.size() == 1);
  CHECK(state.without_compute.empty());
  CHECK(!state.tells_utilisation);
  CHECK(!state.uncorrected_ecc_errors);
}

TEST_CASE("a list that NVML refuses is not an empty one: it says why there is none") {
  auto strict = simulated();
  strict.error_string = [](abi::Result) { return "Insufficient Permissions"; };
  strict.processes = [](abi::Device, unsigned*, abi::Process*) { return abi::kNoPermission; };
  strict.graphics_processes = nullptr;
  strict.throttle_reasons = [](abi::Device, unsigned long long* bits) {
    *bits = ~0ull;
    return abi::kNoPermission;
  };
  const auto nvml = Nvml::over(strict, nullptr);
  const GpuState state = nvml->state(0);
  CHECK(state.processes.empty());
  CHECK(state.throttle_reasons.empty());
  CHECK(state.processes_unknown == "nvmlDeviceGetComputeRunningProcesses_v3 says: Insufficient Permissions");
  CHECK(state.graphics_unknown == "this driver's NVML has no nvmlDeviceGetGraphicsRunningProcesses_v3");
  CHECK(state.throttle_unknown == "nvmlDeviceGetCurrentClocksEventReasons says: Insufficient Permissions");
}

TEST_CASE("a GPU that is lost is an error of every reading, not a state without values") {
  const auto nvml = Nvml::over(simulated(), nullptr);
  StateReader reader(*nvml, 1);
  CHECK(error_of([&] { reader.read(); }) ==
        "environment: GPU 1: nvmlDeviceGetHandleByIndex_v2 says: error 15; list the GPUs with nvidia-smi -L");
}
