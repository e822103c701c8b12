#pragma once

#include "runner/job.h"

// What a driver, or a clock, may not answer, whatever it calls a success. Nonsense is a failure of the machine: it
// never becomes a time, a ratio or a verdict about a kernel.
namespace kgate::runner {

// Throws Error(environment) unless there is one sample for each arm and block, every one of them is positive and
// finite, and all of them together did not last longer than the judge waited for the answer, by the judge's own clock.
void require_plausible(const TimeJob& job, const TimeOutcome& outcome, double waited_s);

// Throws Error(environment) for a device without memory, without multiprocessors, or with more free memory than it has.
void require_plausible(const DeviceInfo& info);

}  // namespace kgate::runner
