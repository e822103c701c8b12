#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "base/json.h"
#include "gate/trust/first_parents.h"
#include "gate/verdict/bisect/trouble.h"

// What a bisection found, as types; kgate.bisect/1 is its other form, and the report is a function of it.
namespace kgate::verdict {

// One version that was looked at, in the order of the looks.
struct Visit {
  trust::CommitInfo commit;  // that brought it
  Side side = Side::unknown;
  Standing standing;
  bool measured = false;  // by a run of the gate
  std::string same_as;    // the commit whose machine code it has, where that was known already; empty: none
  std::string result;     // the folder of the measurement that it is known by; empty: there is none
};

// A part of the way, of which it is known how much slower the kernel became in it.
struct Stretch {
  trust::CommitInfo from, to;
  Ratio slower;
};

struct Bisection {
  std::string kernel, path;
  trust::CommitInfo good, bad;  // the ends as given
  std::string policy_commit, policy_ref, backend, device_name, device_class, seed, tool_version, tool_commit;
  std::vector<std::string> warnings;

  Wanted wanted;                   // what the bad end is; none: nothing was found
  Standing end;                    // of the bad end
  std::vector<std::string> cases;  // by time: those that the bad end is slower in
  std::size_t commits = 0;         // of the way, the good end apart
  std::size_t changes = 0;         // of the kernel's files on the way, to a version that can be judged
  std::size_t unjudged = 0;        // commits on the way in which it cannot be judged
  std::size_t compiled = 0, measurements = 0;
  std::vector<Visit> looks;

  // It came with one of these; one: found. Empty: nothing is known, or nothing is wrong.
  std::vector<trust::CommitInfo> suspects;
  std::optional<Visit> before, after;  // the nearest looks that have a side
  std::optional<Ratio> step;           // by time: from `before` to `after`
  std::vector<Stretch> others;         // by time: where else on the way it certainly became slower
  // The suspect is a merge: where to look inside of it, from its parents' common commit to what it merged.
  std::string inside_from, inside_to;
  bool finished = false;  // all was looked at that had to be
  std::string trouble;    // what ended it early
  int exit_code = 0;      // set by conclude(), or by who knows what ended it early
};

// Sets the exit code of what is known: that of the bad end's verdict, as kgate run would give it; inconclusive where
// commits that could not be measured finely enough are among several suspects.
void conclude(Bisection& found);

Json to_json(const Bisection& found);

}  // namespace kgate::verdict
