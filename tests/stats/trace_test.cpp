// The rule on real measurements: traces of an H200, which lie beside the checkout where the project is developed.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "gate/stats/decision.h"
#include "gate/stats/robust.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;
using stats::Finding;

namespace {

// kernel and method -> process -> arm -> samples.
using Traces = std::map<std::string, std::map<int, std::map<std::string, std::vector<double>>>>;

Traces read_traces(const std::string& name, const char* method) {
  Traces traces;
  std::ifstream file(std::string(KGATE_SOURCE_DIR "/../shared/traces/") + name);
  for (std::string line; std::getline(file, line);) {
    const Json entry = Json::parse(line);
    std::string key = entry["kernel"];
    if (method != nullptr && entry.contains(method)) key += " | " + entry[method].get<std::string>();
    traces[key][entry["process"]][entry["arm"]] = entry["us"].get<std::vector<double>>();
  }
  return traces;
}

std::vector<double> log_ratios(const std::vector<double>& candidate, const std::vector<double>& base,
                               std::size_t limit) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min({candidate.size(), base.size(), limit}); ++i)
    ratios.push_back(std::log(candidate[i] / base[i]));
  return ratios;
}

}  // namespace

TEST_CASE("no pair of processes of an idle H200 sees a kernel get slower against itself") {
  const auto traces = read_traces("h200-idle.jsonl", nullptr);
  if (traces.empty()) KGATE_SKIP("no traces beside this checkout");
  int pairs = 0;
  for (const auto& [kernel, processes] : traces) {
    for (auto first = processes.begin(); first != processes.end(); ++first) {
      for (auto second = std::next(first); second != processes.end(); ++second) {
        for (const char* arm : {"A2", "A3"}) {
          if (!first->second.contains(arm)) continue;
          const stats::Evidence evidence{{log_ratios(first->second.at(arm), first->second.at("A"), 40),
                                          log_ratios(second->second.at(arm), second->second.at("A"), 40)}};
          INFO(kernel << " " << arm << ": " << stats::decide(evidence, {}).why);
          CHECK(stats::decide(evidence, {}).finding != Finding::slower);
          ++pairs;
        }
      }
    }
  }
  CHECK(pairs > 100);
}

TEST_CASE("with new placements, the interval of two processes holds what the other processes find") {
  const auto traces = read_traces("h200-placement.jsonl", "placement");
  if (traces.empty()) KGATE_SKIP("no traces beside this checkout");
  int inside = 0, all = 0;
  for (const auto& [kernel, processes] : traces) {
    if (kernel.find("new placement") == std::string::npos) continue;
    std::map<int, std::vector<double>> ratios;
    for (const auto& [process, arms] : processes) ratios[process] = log_ratios(arms.at("B"), arms.at("A"), 60);
    for (auto first = ratios.begin(); first != ratios.end(); ++first) {
      for (auto second = std::next(first); second != ratios.end(); ++second) {
        double others = 0, count = 0;
        for (const auto& [process, values] : ratios) {
          if (process == first->first || process == second->first) continue;
          others += stats::trimmed_location(values).center;
          count += 1;
        }
        stats::DecisionOptions options;
        options.error = 0.01;
        options.looks = 2;  // two-sided 99 %
        const auto decision = stats::decide({{first->second, second->second}}, options);
        inside += decision.low <= std::exp(others / count) && std::exp(others / count) <= decision.high;
        ++all;
      }
    }
  }
  CHECK(all > 100);
  CHECK(inside >= 0.97 * all);
}
