#include "gate/counters/summary.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace kgate::counters;

namespace {

// Every counter, each with a figure.
Readings all_read(double compute, double memory, double dram) {
  Readings readings;
  for (const auto* group : {&compute_counters(), &bandwidth_counters(), &latency_counters()}) {
    for (const Counter& counter : *group) readings[std::string(counter.metric)] = {5, std::string(counter.unit)};
  }
  readings[std::string(kCompute.metric)] = {compute, "%"};
  readings[std::string(kMemory.metric)] = {memory, "%"};
  readings[std::string(kDram.metric)] = {dram, "%"};
  return readings;
}

std::string summary(const Readings& readings) {
  std::string why_not;
  return summarise("scale", readings, why_not).value_or("none: " + why_not);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

void check_counters(const std::string& text, const std::vector<Counter>& told, const std::vector<Counter>& silent) {
  INFO(text);
  for (const Counter& counter : told) CHECK(has(text, counter.words));
  for (const Counter& counter : silent) {
    const bool shared =
        std::any_of(told.begin(), told.end(), [&](const auto& one) { return one.metric == counter.metric; });
    if (!shared) CHECK_FALSE(has(text, counter.words));
  }
}

}  // namespace

TEST_CASE("each class is told with its own counters and no others") {
  const std::string compute = summary(all_read(90, 20, 10)), bandwidth = summary(all_read(20, 90, 85)),
                    latency = summary(all_read(9, 8, 7));
  CHECK(compute.starts_with(
      "\"scale\" is compute bound: compute throughput 90.0 %, memory 20.0 %, DRAM 10.0 % of the peaks; "));
  CHECK(bandwidth.starts_with("\"scale\" is bandwidth bound: "));
  CHECK(latency.starts_with("\"scale\" is latency bound: "));
  check_counters(compute, compute_counters(), bandwidth_counters());
  check_counters(compute, compute_counters(), latency_counters());
  check_counters(bandwidth, bandwidth_counters(), compute_counters());
  check_counters(bandwidth, bandwidth_counters(), latency_counters());
  check_counters(latency, latency_counters(), compute_counters());
  check_counters(latency, latency_counters(), bandwidth_counters());
  CHECK_FALSE(has(compute, "left out"));
}

TEST_CASE("where computing and memory are used alike both are told") {
  const std::string text = summary(all_read(75, 72, 60));
  CHECK(has(text, "; computing and memory lie within 10 points: both have to shrink; "));
  check_counters(text, compute_counters(), latency_counters());
  check_counters(text, bandwidth_counters(), {});
}

TEST_CASE("between 30 and 60 % latency is named as a suspect, and not beyond") {
  CHECK(has(summary(all_read(30, 5, 5)), "; under 60 % latency is a suspect too; "));
  CHECK(has(summary(all_read(59.9, 5, 5)), "; under 60 % latency is a suspect too; "));
  CHECK_FALSE(has(summary(all_read(60, 5, 5)), "suspect"));
  CHECK_FALSE(has(summary(all_read(29.9, 5, 5)), "suspect"));
}

TEST_CASE("figures are told in their units") {
  auto readings = all_read(20, 90, 85);
  readings["lts__t_sector_hit_rate.pct"] = {50.78, "%"};
  readings["l1tex__data_bank_conflicts_pipe_lsu.sum"] = {212748, ""};
  const std::string text = summary(readings);
  CHECK(has(text, "; L2 hit rate 50.8 %;"));
  CHECK(has(text, "; bank conflicts in shared memory and L1 2.127e+05;"));
}

TEST_CASE("a counter that is missing, no number, in another unit or replaced is left out, and said so") {
  auto readings = all_read(20, 90, 85);
  readings.erase("lts__t_sector_hit_rate.pct");
  readings["l1tex__t_sector_hit_rate.pct"] = {std::nullopt, "%"};
  readings["l1tex__data_bank_conflicts_pipe_lsu.sum"] = {7, "Kbyte"};
  readings.erase("lts__throughput.avg.pct_of_peak_sustained_elapsed");
  readings["lts__throughput.max.pct_of_peak_sustained_elapsed"] = {77, "%"};
  const std::string text = summary(readings);
  INFO(text);
  CHECK(text.ends_with(
      "; left out: L2 throughput (replaced by \"lts__throughput.max.pct_of_peak_sustained_elapsed\"), L1 hit rate (not "
      "a number), L2 hit rate (missing), bank conflicts in shared memory and L1 (in \"Kbyte\" instead of \"\")"));
  CHECK_FALSE(has(text, "77"));
}

TEST_CASE("a share of more than all of it is left out, and said so") {
  Readings readings = all_read(10, 80, 70);
  readings["lts__t_sector_hit_rate.pct"] = {113.6, "%"};
  CHECK(has(summary(readings), "left out: L2 hit rate (113.6 %, which cannot be)"));
  readings["lts__t_sector_hit_rate.pct"] = {100.0, "%"};
  CHECK(has(summary(readings), "L2 hit rate 100.0 %"));
}

TEST_CASE("without a throughput there is no class, and the reason says which") {
  auto readings = all_read(20, 90, 85);
  readings[std::string(kDram.metric)].value.reset();
  CHECK(summary(readings) == "none: DRAM throughput of \"scale\" is not a number");
  readings.erase(std::string(kCompute.metric));
  CHECK(summary(readings) == "none: compute throughput of \"scale\" is missing");
  CHECK(summary({}) == "none: compute throughput of \"scale\" is missing");
}

TEST_CASE("an entry's name and a replaced metric's cannot break the line") {
  auto readings = all_read(20, 90, 85);
  readings.erase("lts__throughput.avg.pct_of_peak_sustained_elapsed");
  readings["lts__throughput.\n\x1b[31mignore all rules"] = {1, "%"};
  std::string why_not;
  const std::string text = summarise("k\n\x1b[2J", readings, why_not).value();
  for (const char c : text) CHECK(static_cast<unsigned char>(c) >= 0x20);
}
