#pragma once

#include <string>

#include "gate/search/evaluator.h"
#include "gate/verdict/judge.h"

namespace kgate::search {

// What the gate says of a search's winner. Who picks the best of many picks luck too, and a search had every chance to
// learn its cases by heart; so nothing of what it measured counts here.
struct Confirmation {
  bool better = false;  // right in all cases, the held-out ones too, and proved to take less time than the baseline
  std::string verdict;  // the gate's word for it
  std::string reason;   // where it is not better
  double ratio = 1, low = 0, high = 0;  // over the baseline; 0 and 0 where it was not timed
  double seconds = 0;
};

// Judges the winner beside the working tree's version as `kgate run` would a change: built anew from its files, in
// fresh processes, with fresh seeds and the hold-out cases, at an error level that is shared out among all versions
// that were tried (`tried`, at least 1). `result`: the whole of it.
Confirmation confirm(verdict::JudgeOptions options, const Candidate& winner, std::int64_t tried,
                     verdict::Progress& progress, verdict::Result& result);

}  // namespace kgate::search
