#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fingerprint/nsight_compute.h"

namespace kgate::counters {

// The most launches of a case that are looked at: each is replayed a dozen times.
constexpr int kMostLaunches = 32;

// What is put before a program's own command line so that Nsight Compute reads the counters of the kernels that it
// launches; its report, CSV (report.h), goes to `log`. `cold`: caches are emptied before each replay. The GPU's clocks
// are left as they are. Options are those that Nsight Compute has had since that of CUDA 11.8.
std::vector<std::string> launcher(const fingerprint::NsightCompute& program, const std::filesystem::path& log,
                                  bool cold);

}  // namespace kgate::counters
