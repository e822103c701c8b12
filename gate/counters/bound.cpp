#include "gate/counters/bound.h"

#include <algorithm>
#include <cmath>

namespace kgate::counters {

const char* name_of(Bound bound) {
  switch (bound) {
    case Bound::compute:
      return "compute bound";
    case Bound::bandwidth:
      return "bandwidth bound";
    case Bound::latency:
      return "latency bound";
  }
  return "";
}

std::optional<Class> classify(const Throughputs& throughputs) {
  if (!throughputs.compute || !throughputs.memory || !throughputs.dram) return std::nullopt;
  const double compute = *throughputs.compute;
  const double memory = std::max(*throughputs.memory, *throughputs.dram);
  if (std::max(compute, memory) < kBusy) return Class{Bound::latency, false};
  const bool balanced = std::min(compute, memory) >= kBusy && std::abs(compute - memory) < kBalanced;
  return Class{compute > memory ? Bound::compute : Bound::bandwidth, balanced};
}

}  // namespace kgate::counters
