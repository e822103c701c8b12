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
  std::vector<Artifact> accepted;  // as the ledger recorded it where that runs here, else its source's
  std::vector<Artifact> rebuilt;   // of the recorded ones their source's, by today's toolkit; null: not recorded
};

// The machine code that the ledger recorded, where today's toolkit makes other code of the same source. It is compared
// with that, not with the candidate: what differs is the toolkit's doing.
constexpr const char* kToolkit = "toolkit";

// An earlier version that a candidate is compared with.
struct Baseline {
  std::string against;  // "base", "accepted", "last-release", kToolkit
  std::string commit, device_class;
  std::int64_t sequence = 0;  // of the ledger's record; 0: of no record
  bool recorded = false;      // its machine code comes from the ledger
  const Version* version = nullptr;
  Artifact code;
  std::vector<std::string> signers = {};  // of the record
  std::string release = {};               // that it is; empty: none
};

// Those that the profile names, in its order; the base's where it names none that exists. What does not compile here is
// among them: its code says so. What was accepted stands there as today's toolkit makes it, and where that is other
// code than was recorded, the recorded one of the first of them comes last, as kToolkit.
std::vector<Baseline> baselines_of(const Subject& subject, const Artifacts& code,
                                   const std::vector<std::string>& compare, const std::string& base_commit);

// The candidate does the same as a baseline: equal machine code and, in every case, equal launches and scratch memory.
bool same_work(const Subject& subject, const runner::Compiled& candidate, const Baseline& baseline);
// Another version of the subject's does.
bool same_work(const Subject& subject, const Version& version, const runner::Compiled& code, const Baseline& baseline);

}  // namespace kgate::verdict
