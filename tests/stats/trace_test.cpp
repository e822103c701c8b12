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
#include "gate/stats/trial.h"
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

TEST_CASE("with new placements, a process's interval holds what the other processes find") {
  const auto traces = read_traces("h200-placement.jsonl", "placement");
  if (traces.empty()) KGATE_SKIP("no traces beside this checkout");
  int inside = 0, all = 0;
  for (const auto& [kernel, processes] : traces) {
    if (kernel.find("new placement") == std::string::npos) continue;
    for (const auto& [process, arms] : processes) {
      // The others' mean, of all their blocks.
      double others = 0, count = 0;
      for (const auto& [other, their] : processes) {
        if (other == process) continue;
        for (const double ratio : log_ratios(their.at("B"), their.at("A"), 1000)) {
          others += ratio;
          count += 1;
        }
      }
      const auto first = log_ratios(arms.at("B"), arms.at("A"), 60);
      const auto interval = stats::interval({{first}}, {}, 0.005);  // two-sided 99 %
      const double mean = std::exp(others / count);
      inside += interval.low <= mean && mean <= interval.high;
      ++all;
    }
  }
  INFO(inside << " of " << all);
  CHECK(all == 96);
  CHECK(inside >= 0.97 * all);
}

TEST_CASE("an idle H200's kernels are decided after fifteen blocks in the median, and forty at most") {
  const auto traces = read_traces("h200-idle.jsonl", nullptr);
  if (traces.empty()) KGATE_SKIP("no traces beside this checkout");
  std::vector<double> blocks;
  int undecided = 0;
  for (const auto& [kernel, processes] : traces) {
    for (auto first = processes.begin(); first != processes.end(); ++first) {
      for (auto second = processes.begin(); second != processes.end(); ++second) {
        if (first == second) continue;
        for (const char* arm : {"A2", "A3"}) {
          const std::vector<std::vector<double>> rounds{log_ratios(first->second.at(arm), first->second.at("A"), 60),
                                                        log_ratios(second->second.at(arm), second->second.at("A"), 60)};
          stats::TrialOptions options;
          options.decision.cases = 100;
          stats::Trial trial(options);
          for (const auto& round : rounds) {
            if (!trial.open()) break;
            trial.start_round();
            std::size_t used = 0;
            while (const auto wanted = static_cast<std::size_t>(trial.wanted())) {
              if (used + wanted > round.size()) break;
              trial.add({round.begin() + static_cast<std::ptrdiff_t>(used),
                         round.begin() + static_cast<std::ptrdiff_t>(used + wanted)});
              used += wanted;
            }
          }
          undecided += !trial.finished();
          CHECK(trial.decision().finding != Finding::slower);
          blocks.push_back(static_cast<double>(trial.blocks()));
        }
      }
    }
  }
  INFO(blocks.size() << " trials, " << undecided << " undecided, median " << stats::quantile(blocks, 0.5) << ", p99 "
                     << stats::quantile(blocks, 0.99));
  CHECK(blocks.size() == 1584);
  CHECK(undecided <= 0.01 * static_cast<double>(blocks.size()));
  CHECK(stats::quantile(blocks, 0.5) <= 15);
  CHECK(stats::quantile(blocks, 0.99) <= 40);
}
