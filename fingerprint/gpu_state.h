#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kgate::fingerprint {

struct GpuProcess {
  unsigned pid = 0;                // as NVML numbers it: in a container that may be another pid namespace's number
  std::uint64_t memory_bytes = 0;  // 0: not told
  std::string name{};              // of the program, without folder and arguments; empty: not readable here
  // The most of what it used of multiprocessors, memory, encoder and decoder in NVML's last periods; empty: this
  // reading did not tell it.
  std::optional<unsigned> utilisation_percent{};
};

// The moment's state of a GPU, as NVML tells it. Absent values are not readable here.
struct GpuState {
  std::optional<unsigned> sm_clock_mhz, memory_clock_mhz, temperature_c, power_mw, power_limit_mw, utilisation_percent;
  std::vector<std::string> throttle_reasons;  // "sw_power_cap", "hw_thermal_slowdown", ...; idle is left out
  std::vector<GpuProcess> processes;          // compute processes
  // On the GPU without a compute context: graphics, and those of which only the utilisation tells (video).
  std::vector<GpuProcess> without_compute;
  // Why a list is empty where NVML refused it; else empty.
  std::string throttle_unknown{}, processes_unknown{}, graphics_unknown{};
  bool tells_utilisation = false;  // NVML tells here what each process uses, if not in every reading
  std::optional<std::uint64_t> uncorrected_ecc_errors;  // since the driver was loaded
};

}  // namespace kgate::fingerprint
