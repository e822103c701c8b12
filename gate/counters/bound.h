#pragma once

#include <optional>

namespace kgate::counters {

// What a kernel is bound by. The rule is that of NVIDIA Nsight Compute's section "GPU Speed Of Light Throughput" with
// its rule "Bottleneck" (SpeedOfLight.py, beside the program): throughputs in % of what the hardware can sustain; where
// they are all low nothing is used up, so the kernel waits for latencies; else the larger of computing and memory is
// what it is bound by, and less than 10 points between them are "balanced".
// The one difference is where "low" ends. NVIDIA's rule says 60 %, and that it only suspects: a kernel at 50 % of the
// DRAM's bandwidth would be told to look at stalls alone. 30 % is the usual, stricter reading: under it, surely nothing
// is used up. Between the two the class is told with NVIDIA's suspicion beside it (summary.h).
constexpr double kBusy = 30, kSuspectedLatency = 60, kBalanced = 10;

struct Throughputs {
  std::optional<double> compute, memory, dram;  // %
};

enum class Bound { compute, bandwidth, latency };
const char* name_of(Bound bound);  // "compute bound"

struct Class {
  Bound bound = Bound::latency;
  bool balanced = false;  // of computing and bandwidth neither is ahead by much
};

// Nothing where a throughput that decides is not known.
std::optional<Class> classify(const Throughputs& throughputs);

}  // namespace kgate::counters
