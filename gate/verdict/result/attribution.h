#pragma once

#include <string>
#include <vector>

#include "gate/verdict/result/verdict.h"

namespace kgate::verdict {

// What one cause contributes to a kernel's time: 1.03 is 3 % slower. `low` and `high` bound it.
struct Part {
  double ratio = 1, low = 1, high = 1;
  std::string unknown = "not measured";  // why nothing is known; empty: something is
  Verdict verdict = Verdict::pass;  // of the toolkit's and the machine's part: regressed, where it is over the zone
  bool known() const { return unknown.empty(); }
};

// Why a kernel takes longer than when it was accepted. The parts multiply: change (candidate over base), merged (base
// over the accepted source, both compiled today), toolkit (that over the accepted machine code, both run today),
// machine (that today over what was stored then).
struct Attribution {
  Part change, merged, toolkit, machine;
  std::string since;                             // "v1.4 (record 12)"; empty: nothing was accepted
  std::string toolkit_before, toolkit_after;     // versions
  std::vector<std::string> machine_differences;  // of the fingerprints, then and now: one line each
};

}  // namespace kgate::verdict
