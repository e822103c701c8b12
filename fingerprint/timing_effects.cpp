#include "fingerprint/timing_effects.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "fingerprint/environment.h"

namespace kgate::fingerprint {
namespace {

struct Effect {
  const char *axis, *field, *timing;
};

constexpr const char* kNone = "no effect on times is known";
constexpr const char* kPath = "a path alone changes no times";
constexpr const char* kOther = "another device: times do not compare";
constexpr const char* kCode = "other machine code is possible: times may change either way";
constexpr const char* kShare = "another share of the GPU: times do not compare";
constexpr const char* kReset = "takes effect when the GPU is reset";
constexpr const char* kClock = "times of kernels that reach it change with it";
constexpr const char* kPower = "kernels that reach the limit run at lower clocks";
constexpr const char* kRange = "what can be set, not what is: no effect by itself";
constexpr const char* kHeat = "the heat at which clocks are lowered";
constexpr const char* kLink = "copies between host and GPU change, kernels do not; an idle link may rest at less";
constexpr const char* kMoment = "the moment's: an idle GPU rests at low clocks, a run waits until they are up";
constexpr const char* kNeighbours = "others on the GPU take time and bandwidth while they run";
constexpr const char* kLaunches = "launches may cost more or less, and so does all that the host backend runs";

// "Another X" is what the two sides differ in; whether stored times compare is the class's to say.
constexpr std::array kEffects{
    Effect{"driver", "version",
           "the driver schedules launches, sets clocks and compiles PTX: times may change either way"},
    Effect{"driver", "cuda", "comes with the driver; a newer toolkit's code may not load on the older"},
    Effect{"toolkit", "nvrtc", kCode},
    Effect{"toolkit", "nvrtc_build_id", kCode},
    Effect{"toolkit", "ptxas", kCode},
    Effect{"toolkit", "nvrtc_library", kPath},
    Effect{"toolkit", "root", kPath},
    Effect{"toolkit", "include_dirs",
           "headers of CUDA's own from elsewhere: a path alone changes no times, other headers may"},
    Effect{"toolkit", "host_compiler", "other machine code on the host backend; nothing on a GPU"},
    Effect{"toolkit", "host_compiler_path", kPath},
    Effect{"device", "kind", kOther},
    Effect{"device", "name", kOther},
    Effect{"device", "architecture", kOther},
    Effect{"device", "memory_bytes", kOther},
    Effect{"device", "multiprocessors", kOther},
    Effect{"device", "mig", kShare},
    Effect{"device", "mig_profile", kShare},
    Effect{"device", "mig_pending", kReset},
    Effect{"device", "uuid", "another specimen: its clocks under load may differ"},
    Effect{"device", "virtualization", "a layer below the driver: launches may cost more"},
    Effect{"device", "vbios", "tables of clocks and power: clocks under load may change"},
    Effect{"device", "inforom", kNone},
    Effect{"device", "gsp_firmware", "it sets clocks and schedules launches: times may change either way"},
    Effect{"device", "gsp_mode",
           "the GPU's own processor or the host's does the driver's work: launches may cost more or less"},
    Effect{"device", "ecc", "error correction may cost memory bandwidth"},
    Effect{"device", "ecc_pending", kReset},
    Effect{"device", "uncorrected_ecc_errors", "memory fails: results are doubtful before times are"},
    Effect{"device", "lifetime_uncorrected_ecc_errors", "memory failed: results are doubtful before times are"},
    Effect{"device", "corrected_ecc_errors", kNone},
    Effect{"device", "lifetime_corrected_ecc_errors", kNone},
    Effect{"device", "persistence", "without it the driver unloads between runs: slow starts, and set clocks are lost"},
    Effect{"device", "compute_mode", "how many processes may use the GPU at once; one alone is as fast"},
    Effect{"device", "max_sm_clock_mhz", kClock},
    Effect{"device", "max_memory_clock_mhz", kClock},
    Effect{"device", "applications_sm_clock_mhz", kClock},
    Effect{"device", "applications_memory_clock_mhz", kClock},
    Effect{"device", "default_applications_sm_clock_mhz", kRange},
    Effect{"device", "default_applications_memory_clock_mhz", kRange},
    Effect{"device", "locked_sm_clock_mhz", kClock},
    Effect{"device", "power_limit_mw", kPower},
    Effect{"device", "default_power_limit_mw", kRange},
    Effect{"device", "min_power_limit_mw", kRange},
    Effect{"device", "max_power_limit_mw", kRange},
    Effect{"device", "slowdown_temperature_c", kHeat},
    Effect{"device", "shutdown_temperature_c", kNone},
    Effect{"device", "pcie_generation", kLink},
    Effect{"device", "pcie_width", kLink},
    Effect{"device", "max_pcie_generation", kLink},
    Effect{"device", "max_pcie_width", kLink},
    Effect{"device", "pci_address", "another slot: cooling may differ"},
    Effect{"device", "numa_node", "launches and copies come from a nearer or a farther processor"},
    Effect{"state", "sm_clock_mhz", kMoment},
    Effect{"state", "memory_clock_mhz", kMoment},
    Effect{"state", "performance_state", kMoment},
    Effect{"state", "temperature_c", "the moment's; near the slowdown temperature clocks fall"},
    Effect{"state", "memory_temperature_c", "the moment's; near its limit clocks fall"},
    Effect{"state", "power_mw", "the moment's; near the limit clocks fall"},
    Effect{"state", "power_limit_mw", kPower},
    Effect{"state", "utilisation_percent", kNeighbours},
    Effect{"state", "throttle_reasons", "what holds the clock down makes kernels slower while it lasts"},
    Effect{"state", "processes", kNeighbours},
    Effect{"state", "processes_without_compute", kNeighbours},
    Effect{"state", "readable", "the GPU's state could not be read"},
    Effect{"host", "processor", kLaunches},
    Effect{"host", "machine", kLaunches},
    Effect{"host", "cores", "checks and compiles take longer or shorter, kernels on a GPU do not"},
    Effect{"host", "memory_bytes", kNone},
    Effect{"host", "kernel", kLaunches},
    Effect{"host", "os", kNone},
    Effect{"host", "container", kNone},
    Effect{"host", "virtual_machine", kLaunches},
    Effect{"host", "hypervisor", kLaunches},
    Effect{"host", "governor", kLaunches},
    Effect{"host", "numa_nodes", "launches and copies may come from a nearer or a farther processor"},
};

}  // namespace

std::string timing_effect(const std::string& axis, const std::string& field) {
  if (axis == "environment") return environment_timing(field);
  for (const Effect& one : kEffects) {
    if (axis == one.axis && field == one.field) return one.timing;
  }
  return "nothing is known about it";
}

bool may_change_times(const std::string& axis, const std::string& field) {
  if (axis == "state" || axis == "environment") return false;
  constexpr std::array<std::string_view, 10> kSilent{"cuda",
                                                     "include_dirs",
                                                     "cores",
                                                     "compute_mode",
                                                     "uncorrected_ecc_errors",
                                                     "mig_pending",
                                                     "ecc_pending",
                                                     "lifetime_uncorrected_ecc_errors",
                                                     "pci_address",
                                                     "persistence"};
  if (std::find(kSilent.begin(), kSilent.end(), field) != kSilent.end()) return false;
  const std::string effect = timing_effect(axis, field);
  constexpr std::array<const char*, 4> kHarmless{kNone, kPath, kRange, kLink};
  return std::find(kHarmless.begin(), kHarmless.end(), effect) == kHarmless.end();
}

}  // namespace kgate::fingerprint
