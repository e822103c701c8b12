#pragma once

#include <string>
#include <vector>

#include "gate/verdict/compile/compiler.h"
#include "gate/verdict/subject/subject.h"

namespace kgate::verdict {

// A kernel's code: the candidate's, the base's (null: the base does not know it), the reference's (null: it has none),
// of each accepted version.
struct Artifacts {
  Artifact candidate, base, reference;
  std::vector<Artifact> accepted;
};

// An earlier version that a candidate is compared with.
struct Baseline {
  std::string against;  // "base", "accepted", "last-release"
  std::string commit, device_class;
  std::int64_t sequence = 0;  // of the ledger's record; 0: of no record
  bool recorded = false;      // its machine code comes from the ledger
  const Version* version = nullptr;
  Artifact code;
};

// Those that the profile names, in its order; the base's where it names none that exists. What does not compile here is
// among them: its code says so.
std::vector<Baseline> baselines_of(const Subject& subject, const Artifacts& code,
                                   const std::vector<std::string>& compare, const std::string& base_commit);

// The candidate does the same as a baseline: equal machine code and, in every case, equal launches and scratch memory.
bool same_work(const Subject& subject, const runner::Compiled& candidate, const Baseline& baseline);

}  // namespace kgate::verdict
