#include "gate/counters/summary.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/quote.h"
#include "gate/counters/bound.h"

namespace kgate::counters {
namespace {

std::string figure(double value, std::string_view unit) {
  return unit == "%" ? fmt::format("{:.1f} %", value) : fmt::format("{:.4g}", value);
}

const std::vector<Counter>& counters_of(Bound bound) {
  switch (bound) {
    case Bound::compute:
      return compute_counters();
    case Bound::bandwidth:
      return bandwidth_counters();
    case Bound::latency:
      break;
  }
  return latency_counters();
}

}  // namespace

std::optional<std::string> summarise(const std::string& entry, const Readings& readings, std::string& why_not) {
  for (const Counter& counter : {kCompute, kMemory, kDram}) {
    if (const Found found = find(readings, counter); !found.value) {
      why_not = fmt::format("{} of {} is {}", counter.words, kgate::quoted(entry), found.why_not);
      return std::nullopt;
    }
  }
  const double compute = *find(readings, kCompute).value, memory = *find(readings, kMemory).value,
               dram = *find(readings, kDram).value;
  const Class found = *classify({compute, memory, dram});
  std::string text = fmt::format("{} is {}: compute throughput {:.1f} %, memory {:.1f} %, DRAM {:.1f} % of the peaks",
                                 kgate::quoted(entry), name_of(found.bound), compute, memory, dram);
  if (found.balanced)
    text += fmt::format("; computing and memory lie within {:.0f} points: both have to shrink", kBalanced);
  if (const double most = std::max({compute, memory, dram}); most >= kBusy && most < kSuspectedLatency)
    text += fmt::format("; under {:.0f} % latency is a suspect too", kSuspectedLatency);
  std::vector<Counter> wanted = counters_of(found.bound);
  if (found.balanced) {
    const auto& others = counters_of(found.bound == Bound::compute ? Bound::bandwidth : Bound::compute);
    wanted.insert(wanted.end(), others.begin(), others.end());
  }
  std::vector<std::string> left_out;
  for (const Counter& counter : wanted) {
    const Found one = find(readings, counter);
    if (one.value) {
      text += fmt::format("; {} {}", counter.words, figure(*one.value, counter.unit));
    } else {
      left_out.push_back(fmt::format("{} ({})", counter.words, one.why_not));
    }
  }
  if (!left_out.empty()) text += fmt::format("; left out: {}", fmt::join(left_out, ", "));
  return text;
}

}  // namespace kgate::counters
