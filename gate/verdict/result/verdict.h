#pragma once

#include <string>
#include <vector>

#include "base/exit_code.h"

namespace kgate::verdict {

// In the order of severity, from harmless to worst; the worst of a run's kernels is the run's.
enum class Verdict {
  pass,
  faster,
  unchanged,
  preapproved,
  fresh,  // "new": right, but neither the base nor the ledger knows it
  inconclusive,
  environment,
  missing,
  regressed,
  suspect,
  wrong,
  untrusted,
};

const char* name_of(Verdict verdict);
Verdict verdict_from_name(const std::string& name);  // throws Error(usage)
bool passes(Verdict verdict);                        // pass, faster, unchanged, preapproved
// pass where nothing is worse; faster, unchanged and preapproved count as pass.
Verdict worst(const std::vector<Verdict>& verdicts);
// The code of a verdict that blocks; 0 for those that pass.
ExitCode exit_code_of(Verdict verdict);

}  // namespace kgate::verdict
