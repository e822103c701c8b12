#pragma once

#include <string>

namespace kgate::fingerprint {

// NVIDIA Nsight Compute's command line (ncu) on this machine, which reads a GPU's performance counters.
struct NsightCompute {
  std::string path;     // empty: there is none
  std::string version;  // "2025.3.1.0"; empty: it does not say
  // Where there is none that starts, of the first one that does not: "/opt/cuda/bin/ncu cannot be run".
  std::string broken;
};

// Looks in the folders of `search_path` (PATH; relative ones are left out: they could be the repository that is
// judged), then in `bin` below `toolkit`, /usr/local/cuda and /opt/cuda. What does not start here is passed over.
NsightCompute find_nsight_compute(const std::string& search_path, const std::string& toolkit);

}  // namespace kgate::fingerprint
