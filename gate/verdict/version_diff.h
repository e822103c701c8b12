#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "gate/verdict/compile/baseline.h"
#include "gate/verdict/result/result.h"
#include "gate/verdict/subject/subject.h"

namespace kgate::verdict {

std::string source_diff(const Version& before, const Version& after);  // unified
// Lines "- old" and "+ new" for what only one side has.
std::vector<std::string> option_changes(const Version& before, const Version& after);
std::vector<std::string> launch_changes(const Version& before, const Version& after);

// The candidate beside every accepted version that it is compared with, in the order of the baselines, before anything
// ran. `fingerprint`: of this machine.
std::vector<VersionDiff> accepted_diffs(const Subject& subject, const std::vector<Baseline>& baselines,
                                        const Json& fingerprint);
// Null: it is not among them.
const Baseline* find_baseline(const std::vector<Baseline>& baselines, const std::string& against);

// How the error of an output grew against the base's: the geometric mean over the cases, because in one of them alone
// versions that round differently differ by chance (a row's sum is one draw, however many elements it is in).
struct ErrorGrowth {
  double mean = 1;
  std::size_t cases = 0;
};
std::map<std::string, ErrorGrowth> error_growth(const KernelResult& kernel);

// What checking showed, in the diffs against the base and against the accepted versions that do the same as the base:
// of others the error was not measured. `base`: the base's machine code; null: there is none.
void add_error_growth(KernelResult& kernel, const Subject& subject, const runner::Compiled* base,
                      const std::vector<Baseline>& baselines);

}  // namespace kgate::verdict
