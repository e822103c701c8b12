#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gate/verdict/result/result.h"
#include "tests/adversarial/cheat.h"

// A git repository with honest versions on main, cases signed, and a change that puts a cheat in the place of each;
// kgate is run on it as in a merge request.
struct GateRun {
  int code = -1;
  std::string output;      // stdout and stderr
  std::string everything;  // that, and every file of the output folder but the raw samples
  kgate::verdict::Result result;
  double seconds = 0;
};

struct GateOptions {
  std::filesystem::path kgate;
  Backend backend = Backend::host;
  std::filesystem::path work;  // a folder for the repository, the output and the files that kernels are after
};

GateRun run_gate(const std::vector<Cheat>& cheats, const GateOptions& options);

// The source with the paths of the two files that kernels must not reach.
std::string source_of(const Cheat& cheat, const std::filesystem::path& work);

// What a run gave away, or let somebody else say: the secret, a trace that was left, a command to a CI system, a
// control character. Empty: nothing.
std::vector<std::string> leaks(const GateRun& run, const std::filesystem::path& work);
