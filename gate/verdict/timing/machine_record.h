#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"

namespace kgate::verdict {

// The constants of a machine that no single run can measure; `kgate doctor --noise` finds and keeps them
// (schema kgate.noise/1), `kgate run` uses them.
struct MachineRecord {
  // Standard deviation of ln ratio between fresh processes beyond a process's own error. The default covers an H200's
  // traces with new placements, except for kernels that live in the L2 (docs/statistics.md).
  double round_spread = 0.0006;
  // The next child may start while another one measures.
  bool overlap = true;
  std::string origin = "default";  // or the record's path
};

// A record may widen the default and never narrow it: doctor times kernels against themselves, which shows what differs
// between processes on this machine, but not that two different kernels profit differently from where their buffers
// lie. With a spread beyond the second nothing would ever be decided: it counts as the second, and is told.
constexpr double kLeastRoundSpread = 0.0006, kMostRoundSpread = 0.005;

// The file that holds a device's record below kgate's state folder: its name is the device's UUID, or "host".
std::filesystem::path record_path(const std::filesystem::path& state, const std::string& device_uuid);

// The record of this device with this driver; the defaults where there is none, it is of another driver, or it is
// broken (a link is): then `note` says why.
MachineRecord read_record(const std::filesystem::path& path, const std::string& driver, std::string& note);

}  // namespace kgate::verdict
