#pragma once

#include <string>
#include <vector>

#include "gate/trust/ledger.h"
#include "gate/verdict/subject/subject.h"

namespace kgate::verdict {

struct AcceptedOptions {
  const trust::Ledger* ledger = nullptr;
  std::vector<std::string> compare;  // of the profile: "accepted", "last-release" are looked up
  std::string device_class, backend, device_name, architecture;  // of this machine
  bool any_class = true;  // a record of another class will do: its machine code where that runs here, else its source
  const trust::Repository* repository = nullptr;
  std::string base_commit;  // of the version to compare with
};

// Finds what the ledger has accepted of a kernel: the versions to compare with, and whether the candidate's own content
// was accepted in view of the base's version, not before that came to be. What no longer fits the cases' interface is
// left out, with a warning.
void add_accepted(Subject& subject, const AcceptedOptions& options);

// Why a version cannot be launched by the subject's cases; empty where it can.
std::string misfit(const Subject& subject, const Version& version);

}  // namespace kgate::verdict
