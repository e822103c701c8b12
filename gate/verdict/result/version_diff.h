#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fingerprint/comparison.h"
#include "gate/disassembly/kind.h"

// What differs between a candidate and an earlier version of it, as far as a reviewer asks.
namespace kgate::verdict {

struct ResourceUse {
  std::int64_t registers = 0, shared_bytes = 0, spill_bytes = 0, code_bytes = 0;
};

// Instructions of the earlier version's machine code and of the candidate's.
struct MachineCode {
  std::string not_counted;  // why not; empty: they were
  disassembly::Counts before, after;
};

// Of a version that an approver accepted. (What differs from the base is in KernelResult itself.)
struct VersionDiff {
  std::string against;  // "accepted", "last-release"
  std::int64_t sequence = 0;
  std::string source;  // unified; empty: equal
  std::vector<std::string> options, launch;
  std::optional<ResourceUse> resources;  // the accepted version's, as its record has them for this class of machine
  std::optional<MachineCode> machine_code;
  std::map<std::string, double> error_growth;  // by output; empty: not known
  // The machine that measured the record beside this one; none: not known.
  std::optional<std::vector<fingerprint::Difference>> fingerprint;
};

}  // namespace kgate::verdict
