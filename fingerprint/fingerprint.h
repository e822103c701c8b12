#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "fingerprint/toolkit.h"

namespace kgate::fingerprint {

inline constexpr const char* kFingerprintSchema = "kgate.fingerprint/1";

// What kgate stands on: one JSON object with "schema" and the axes "driver", "toolkit", "device", "state", "host",
// "environment". Every field has its value or, where it cannot be read, the text "unknown, because ..."; nothing is
// guessed. See docs/fingerprint.md for the fields.
struct FingerprintOptions {
  std::string device;                              // UUID or index; empty: the first
  bool use_gpu = true;                             // false: host backend, no NVML
  std::map<std::string, std::string> environment;  // the caller's, whole: of it those that matter to CUDA are kept
};
Json take_fingerprint(const FingerprintOptions& options, const Toolkit& toolkit);

// SHA-256 (16 hex digits) over what must match for stored numbers to be comparable: the device's name, architecture,
// memory, MIG mode and profile, the driver's version and the toolkit's; on the host the processor's model and the
// compiler's version.
std::string class_of(const Json& fingerprint);

// The part of the class that no new driver or toolkit changes: SHA-256 (16 hex digits) over the device's fields of it.
// Nights of one kind of GPU are one series (docs/drift.md).
std::string hardware_of(const Json& fingerprint);

// The fields, as (axis, field), that class_of looks at in this fingerprint.
std::vector<std::pair<std::string, std::string>> class_fields(const Json& fingerprint);

}  // namespace kgate::fingerprint
