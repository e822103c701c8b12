#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgate::counters {

// What a metric of Nsight Compute's says of a kernel, in words for who has not its guide at hand.
struct Counter {
  std::string_view metric;  // "sm__throughput.avg.pct_of_peak_sustained_elapsed"
  std::string_view unit;    // as Nsight Compute prints it in base units: "%", "ns", "inst", ""
  std::string_view words;   // "compute throughput"
};

// A metric of one launch as it was printed.
struct Reading {
  std::optional<double> value;  // nothing: it is no number ("nan", "n/a", several values)
  std::string unit;
};
using Readings = std::map<std::string, Reading, std::less<>>;  // by metric

// The figures that the class is told by, each in % of what the hardware can do. Nsight Compute's section "GPU Speed Of
// Light Throughput" calls them so.
extern const Counter kCompute, kMemory, kDram;
extern const Counter kDuration;

// What matters where a kernel is bound by computing, by bandwidth, by latency. Warp states ("stalled") are told as
// ratios: how many warps, on the average, waited so for each instruction that was issued.
const std::vector<Counter>& compute_counters();
const std::vector<Counter>& bandwidth_counters();
const std::vector<Counter>& latency_counters();

// All of them, each once.
std::vector<std::string> all_metrics();

// A counter's value, or why there is none: "missing", "not a number", "in inst instead of %", "replaced by NAME".
struct Found {
  std::optional<double> value;
  std::string why_not;
};
Found find(const Readings& readings, const Counter& counter);

}  // namespace kgate::counters
