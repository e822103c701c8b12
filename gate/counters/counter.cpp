#include "gate/counters/counter.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/quote.h"

namespace kgate::counters {

const Counter kCompute{"sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "compute throughput"};
const Counter kMemory{"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%", "memory throughput"};
const Counter kDram{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "%", "DRAM throughput"};
const Counter kDuration{"gpu__time_duration.sum", "ns", "duration"};

namespace {

constexpr double kMostPercent = 101;  // a peak is passed by its rounding, no more

const Counter kIssued{"smsp__issue_active.avg.pct_of_peak_sustained_active", "%",
                      "cycles in which a scheduler issued an instruction"};

}  // namespace

const std::vector<Counter>& compute_counters() {
  static const std::vector<Counter> all{
      kIssued,
      {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", "FP32 multiply-add pipe busy"},
      {"sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", "integer and logic pipe busy"},
      {"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", "FP64 pipe busy"},
      {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "%", "tensor cores busy"},
      {"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed", "%",
       "pipe of conversions and special functions busy"},
      {"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio", "inst",
       "warps waiting for a busy math pipe, for each instruction issued"}};
  return all;
}

const std::vector<Counter>& bandwidth_counters() {
  static const std::vector<Counter> all{
      {"l1tex__throughput.avg.pct_of_peak_sustained_active", "%", "L1 throughput"},
      {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "%", "L2 throughput"},
      {"l1tex__t_sector_hit_rate.pct", "%", "L1 hit rate"},
      {"lts__t_sector_hit_rate.pct", "%", "L2 hit rate"},
      {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "%",
       "bytes used of those that global loads fetched"},
      {"l1tex__data_bank_conflicts_pipe_lsu.sum", "", "bank conflicts in shared memory and L1"},
      {"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", "inst",
       "warps waiting to hand over global or local accesses, for each instruction issued"}};
  return all;
}

const std::vector<Counter>& latency_counters() {
  static const std::vector<Counter> all{
      {"sm__warps_active.avg.pct_of_peak_sustained_active", "%", "achieved occupancy"},
      {"launch__waves_per_multiprocessor", "", "waves of blocks a multiprocessor"},
      {"launch__occupancy_limit_registers", "block", "blocks a multiprocessor that registers allow"},
      {"launch__occupancy_limit_shared_mem", "block", "blocks a multiprocessor that shared memory allows"},
      kIssued,
      {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "inst",
       "warps waiting for global or local memory, for each instruction issued"},
      {"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", "inst",
       "warps waiting for shared memory or special functions, for each instruction issued"},
      {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "inst",
       "warps waiting at a barrier, for each instruction issued"},
      {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", "inst",
       "warps waiting a fixed time for the instruction before, for each one issued"}};
  return all;
}

std::vector<std::string> all_metrics() {
  std::vector<std::string> names;
  const auto add = [&](const Counter& counter) {
    if (std::find(names.begin(), names.end(), counter.metric) == names.end()) names.emplace_back(counter.metric);
  };
  for (const Counter& counter : {kCompute, kMemory, kDram, kDuration}) add(counter);
  for (const auto* group : {&compute_counters(), &bandwidth_counters(), &latency_counters()})
    std::for_each(group->begin(), group->end(), add);
  return names;
}

Found find(const Readings& readings, const Counter& counter) {
  const auto found = readings.find(counter.metric);
  if (found == readings.end()) {
    // Another figure of the same unit of the hardware is not the one that was asked for.
    const std::string_view base = counter.metric.substr(0, counter.metric.find('.') + 1);
    const auto other = std::find_if(readings.begin(), readings.end(), [&](const auto& one) {
      return base.ends_with('.') && one.first.starts_with(base);
    });
    if (other == readings.end()) return {std::nullopt, "missing"};
    return {std::nullopt, "replaced by " + kgate::quoted(other->first)};
  }
  const Reading& reading = found->second;
  if (reading.unit != counter.unit)
    return {std::nullopt, fmt::format("in {} instead of {}", kgate::quoted(reading.unit), kgate::quoted(counter.unit))};
  if (!reading.value) return {std::nullopt, "not a number"};
  // An H200 tells an L2 hit rate of 113.6 %: counters of different passes over a kernel do not go together.
  if (reading.unit == "%" && *reading.value > kMostPercent)
    return {std::nullopt, fmt::format("{:.1f} %, which cannot be", *reading.value)};
  return {reading.value, ""};
}

}  // namespace kgate::counters
