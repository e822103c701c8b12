#include "gate/counters/command.h"

#include <algorithm>
#include <set>

#include "gate/counters/counter.h"
#include "tests/support/catch.h"

using namespace kgate::counters;
using Words = std::vector<std::string>;

namespace {

const kgate::fingerprint::NsightCompute kProgram{"/opt/ncu", "2025.3.1.0", ""};

std::string value_of(const Words& command, const std::string& option) {
  const auto found = std::find(command.begin(), command.end(), option);
  return found == command.end() || found + 1 == command.end() ? "" : *(found + 1);
}

}  // namespace

TEST_CASE("Nsight Compute is asked for every counter once, as CSV into a file, and ends where the program begins") {
  const Words command = launcher(kProgram, "/scratch/report", true);
  CHECK(command.front() == "/opt/ncu");
  CHECK(value_of(command, "--log-file") == "/scratch/report");
  CHECK(std::find(command.begin(), command.end(), "--csv") != command.end());
  CHECK(value_of(command, "--print-units") == "base");
  CHECK(value_of(command, "--print-kernel-base") == "mangled");
  std::string names;
  for (const auto& name : all_metrics()) names += (names.empty() ? "" : ",") + name;
  CHECK(command.back() == names);
  const Words metrics = all_metrics();
  CHECK(std::set<std::string>(metrics.begin(), metrics.end()).size() == metrics.size());
}

TEST_CASE("the GPU's clocks are left alone, and its caches where a case is measured warm") {
  CHECK(value_of(launcher(kProgram, "/r", true), "--clock-control") == "none");
  CHECK(value_of(launcher(kProgram, "/r", true), "--cache-control") == "all");
  CHECK(value_of(launcher(kProgram, "/r", false), "--cache-control") == "none");
}

TEST_CASE("a file of settings in the working folder is not read") {
  CHECK(value_of(launcher(kProgram, "/r", false), "--config-file") == "off");
}
