#pragma once

#include <vector>

#include "gate/stats/decision.h"
#include "gate/trust/policy.h"
#include "gate/verdict/noise/noise.h"

namespace kgate::verdict {

// One case as measured: ln ratios by round, the cost of a block, the sizes that were planted.
struct NoiseSample {
  CaseNoise found;            // names and failure given; the rest is worked out by summarise
  double block_s = 0;         // seconds that a block of two arms took
  std::vector<double> sizes;  // of the planted slowdown, by round, as shares
  stats::Evidence even, planted, overlapped;
};

// What the samples of all cases say about a machine; pure.
Noise summarise(std::vector<NoiseSample>& samples, const trust::Budget& budget);

}  // namespace kgate::verdict
