#pragma once

#include <vector>

#include "gate/stats/decision.h"

namespace kgate::stats {

struct AbsoluteOptions {
  // Standard deviation of ln time between fresh processes on one machine, each with new placements: the largest of ten
  // kernels in six processes on an H200 was 0.41 % (row kernel, 8.7 us), the smallest 0.02 % (sgemm).
  double process_spread = 0.004;
  double error = 0.01;  // of the interval, both sides together
};

// Today's time over a stored one, of one kernel and the same machine code. What was measured at another time shares no
// block with today's samples, so nothing cancels: each process's own error and the spread between processes count on
// both sides. `then` and `now`: us, [process][sample]. Infinite where a side has too few samples.
Interval absolute_ratio(const std::vector<std::vector<double>>& then, const std::vector<std::vector<double>>& now,
                        const AbsoluteOptions& options);

}  // namespace kgate::stats
