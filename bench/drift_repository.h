#pragma once

#include <filesystem>

#include "bench/history.h"

namespace kgate::bench {

// A repository for `kgate drift --no-measure`: the history's kernels with their cases, a policy with fresh keys, a
// ledger that accepted each kernel (number k by record 1 + k, as release v1.4; then what the history's changes name, as
// v1.5), and a signed record a night. Returns how many nights it has.
std::int64_t write_drift_repository(const std::filesystem::path& folder, const SimulatedHistory& history);

}  // namespace kgate::bench
