#pragma once

#include <string>

namespace kgate::fingerprint {

// NVIDIA's compute-sanitizer on this machine.
struct ComputeSanitizer {
  std::string path;     // empty: there is none
  std::string version;  // "2025.3.1.0"; empty: it does not say
  bool strips_paths =
      false;  // off the files it names, unless told not to: newer ones (that of CUDA 11.8 has no such option)
  // Where there is none that starts, of the first one that does not: "/opt/cuda/bin/compute-sanitizer cannot be run".
  std::string broken;
};

// Looks in the folders of `search_path` (PATH; relative ones are left out: they could be the repository that is
// judged), then in the toolkit's folders below `toolkit`, /usr/local/cuda and /opt/cuda. What does not start here is
// passed over.
ComputeSanitizer find_compute_sanitizer(const std::string& search_path, const std::string& toolkit);

}  // namespace kgate::fingerprint
