#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "fingerprint/toolkit.h"

namespace kgate::fingerprint {

// What kgate stands on: one JSON object with the axes "driver", "toolkit", "device", "host", "state". Every field has
// its value or, where it cannot be read, the text "unknown, because ..."; nothing is guessed. See docs/fingerprint.md
// for the fields.
struct FingerprintOptions {
  std::string device;   // UUID or index; empty: the first
  bool use_gpu = true;  // false: host backend, no NVML
};
Json take_fingerprint(const FingerprintOptions& options, const Toolkit& toolkit);

// SHA-256 (16 hex digits) over what must match for stored numbers to be comparable: the device's name, architecture,
// memory, MIG profile, the driver's version and the toolkit's; on the host the processor's model and the compiler's
// version.
std::string class_of(const Json& fingerprint);

struct Difference {
  std::string axis, field, before, after;
};
std::vector<Difference> compare(const Json& before, const Json& after);

}  // namespace kgate::fingerprint
