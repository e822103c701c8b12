#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gate/verdict/bisect/search.h"
#include "gate/verdict/result/result.h"

namespace kgate::verdict {

// What the gate holds against a version, in the order in which a version has to get past it: one that does not compile
// says nothing about its outputs, and one with wrong outputs nothing about its time.
enum class Trouble {
  none,
  regressed,   // slower, or over a limit
  suspect,     // faster only where inputs repeat
  wrong,       // wrong outputs, out of bounds, crashed, hung
  refused,     // the policy refuses what its code does
  uncompiled,  // does not compile
  unknown,     // it could not be measured
};

const char* name_of(Trouble trouble);

// What is known of a version, seen from the good end.
struct Standing {
  Trouble trouble = Trouble::none;
  Verdict verdict = Verdict::unchanged;
  std::string reason;
  std::optional<Ratio> ratio;  // over the cases that a slowdown is looked for in; none: not timed
};

// The cases in which a version is slower by the gate's rule; empty: in none (over a limit, or not regressed at all).
std::vector<std::string> slower_cases(const KernelResult& kernel);

// `cases`: those to take the ratio over, their geometric mean.
Standing standing_of(const KernelResult& kernel, const std::vector<std::string>& cases);

// What is looked for between two ends, by what the bad end is.
struct Wanted {
  Trouble trouble = Trouble::none;
  bool by_time = false;  // regressed by time, not by a limit
};

// The side of a version. By time: halfway(). Else bad is who has the same trouble, good who got as far without it, and
// what stops earlier tells nothing.
Side side_of(const Standing& one, const Wanted& wanted, const Standing& good, const Standing& bad);

}  // namespace kgate::verdict
