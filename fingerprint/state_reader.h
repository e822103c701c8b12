#pragma once

#include <map>
#include <string>
#include <vector>

#include "fingerprint/gpu_state.h"
#include "fingerprint/nvml.h"

namespace kgate::fingerprint {

// Reads one GPU's state again and again, cheaply enough for a watch. On an H200 (driver 580) each value costs 2 to
// 5 us, a list of processes 40 us, and what each process uses 1.6 ms; NVML renews the last every 0.2 s. So that is
// asked in every fourth reading only (at 20 Hz, as often as there is news), and a name once for each process.
//
// A value of NVML's that is missing or refused is absent, never an error. Not for two threads at once.
class StateReader {
 public:
  // Of `nvml`, which must live longer.
  StateReader(const Nvml& nvml, unsigned index) : nvml_(nvml), index_(index) {}
  // Throws Error(environment) where the GPU does not answer at all. The first reading's utilisation of processes is an
  // average over as long as the driver remembers (seconds); each later one covers the time since the one before it.
  GpuState read();

 private:
  void read_values(nvml::Device device, GpuState& state) const;
  void read_utilisation(nvml::Device device, GpuState& state);
  void read_names(GpuState& state);

  const Nvml& nvml_;
  unsigned index_;
  unsigned readings_ = 0;
  bool utilisation_refused_ = false, tells_utilisation_ = false;
  unsigned long long utilisation_seen_us_ = 0;  // NVML's time of the newest sample so far
  std::map<unsigned, std::string> names_;       // of the processes of the last reading
};

}  // namespace kgate::fingerprint
