// The number of runs and the seed can be given: KGATE_KILL_RUNS=200 KGATE_KILL_SEED=7 test_kills
// (scripts/kill-runs.sh).
#include <cstdio>
#include <cstdlib>

#include "tests/kills/kill_runs.h"
#include "tests/support/catch.h"

TEST_CASE("whatever process is killed at whatever moment, no verdict is wrong and nothing is left behind") {
  const char* runs = std::getenv("KGATE_KILL_RUNS");
  const char* seed = std::getenv("KGATE_KILL_SEED");
  kgate::test::KillOptions options;
  if (runs != nullptr) {
    options.runs = std::atoi(runs);
    options.on_run = [](const std::string& line) {
      std::puts(line.c_str());
      std::fflush(stdout);
    };
  }
  if (seed != nullptr) options.seed = std::strtoull(seed, nullptr, 10);
  const auto report = kgate::test::kill_runs(options);
  for (const auto& [what, count] : report.counts) {
    if (runs != nullptr) std::printf("%5d %s\n", count, what.c_str());
  }
  for (const auto& breach : report.breaches) {
    UNSCOPED_INFO(breach);
    CHECK(breach.empty());
  }
  int killed = 0;
  for (const char* what : {"child killed", "judge killed"}) {
    const auto found = report.counts.find(what);
    if (found != report.counts.end()) killed += found->second;
  }
  CHECK(killed > options.runs / 2);
}
