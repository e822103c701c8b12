#pragma once

#include <functional>
#include <string>

#include "gate/verdict/bisect/bisection.h"
#include "gate/verdict/judge.h"

// Finds the commit that made a kernel slower or wrong. docs/bisect.md says how, and what is answered.
namespace kgate::verdict {

struct BisectOptions {
  JudgeOptions judge;     // of every measurement; `selection` has the kernel's name
  std::string good, bad;  // revisions
  std::function<void(const Visit&)> on_visit;
  // A run of the gate: its whole judgement. Returns the folder where it was kept; empty: nowhere.
  std::function<std::string(const trust::CommitInfo&, const Judgement&)> on_measured;
};

// Fills `found` as it goes, so that what is known survives an Error or an interruption. Throws Error(usage) for
// revisions and a kernel that are not there, and for a good end that is no yardstick; else as judge().
void bisect(const BisectOptions& options, Progress& progress, Bisection& found);

}  // namespace kgate::verdict
