#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

// Runs of kgate on a small repository on the host backend, in each of which one process is killed at a random moment.
namespace kgate::test {

struct KillOptions {
  int runs = 12;
  std::uint64_t seed = 1;
  std::function<void(const std::string&)> on_run;  // a line about each; may be empty
};

struct KillReport {
  std::map<std::string, int> counts;  // "child killed", "judge killed", "no victim", "pass", "wrong", ...
  std::vector<std::string> breaches;  // of what must hold, each with its run's number
};

// What must hold: a right kernel is never wrong, regressed or suspect; a wrong one never passes and never ends with
// exit code 0 unless nothing was said of it; every result.json is whole; nothing of a run is left: no process, no
// folder or file for temporary use, no shared memory.
KillReport kill_runs(const KillOptions& options);

}  // namespace kgate::test
