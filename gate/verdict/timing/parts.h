#pragma once

#include <cstdint>
#include <vector>

#include "gate/verdict/result/attribution.h"
#include "gate/verdict/timing/case_experiment.h"

namespace kgate::verdict {

// What a kernel's timed blocks say of its causes: change, merged and toolkit, each the ratio of two arms of the same
// blocks, over all cases by weight, at the run's error level (`decisions`: as for the verdicts). Versions that were one
// arm are equal, without an error. The machine's part is not in here: no arm ran when the ledger's figures were taken.
Attribution parts_of(const TimeJob& job, const std::vector<TimedCase>& times, const TimeOptions& options,
                     std::int64_t decisions);

}  // namespace kgate::verdict
