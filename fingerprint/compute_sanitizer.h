#pragma once

#include <string>

namespace kgate::fingerprint {

// NVIDIA's compute-sanitizer on this machine.
struct ComputeSanitizer {
  std::string path;     // empty: there is none
  std::string version;  // "2025.3.1.0"; empty: it does not say
};

// Looks in the folders of `search_path` (PATH; relative ones are left out: they could be the repository that is
// judged), then in the toolkit's folders below `toolkit`, /usr/local/cuda and /opt/cuda. What does not start here is
// passed over.
ComputeSanitizer find_compute_sanitizer(const std::string& search_path, const std::string& toolkit);

}  // namespace kgate::fingerprint
