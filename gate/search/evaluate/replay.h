#pragma once

#include <string>

#include "gate/search/evaluator.h"
#include "gate/search/journal/summary.h"
#include "gate/verdict/judge.h"

namespace kgate::search {

using journal::Confirmation;

// Judges the winner beside the working tree's version as `kgate run` would a change: built anew from its files, in
// fresh processes, with fresh seeds and the hold-out cases, at an error level that is shared out among all versions
// that were tried (`tried`, at least 1). `result`: the whole of it.
// Throws Error(usage) where the working tree's version is not `baseline` any more.
Confirmation confirm(verdict::JudgeOptions options, const Candidate& baseline, const Candidate& winner,
                     std::int64_t tried, verdict::Progress& progress, verdict::Result& result);

}  // namespace kgate::search
