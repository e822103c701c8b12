#pragma once

#include <optional>
#include <string>

#include "base/file_tree.h"
#include "gate/trust/authority.h"
#include "gate/verdict/subject/subject.h"

// A kernel as other commits have it, by the cases that count today: no commit brings its own.
namespace kgate::verdict {

// The kernel of the base commit with its cases, and nothing that is judged yet. Throws Error(missing) where the base
// commit does not have it, with the nearest name, and Error(untrusted) where its cases do not hold.
Subject read_today(const trust::Authority& authority, const trust::Ledger& ledger, const std::string& kernel,
                   const std::string& day);

// The kernel as a commit has it.
struct PastVersion {
  std::optional<Version> version;
  std::string why_not;  // it cannot be judged: "does not have it", a file that it declares is missing, the policy
                        // forbids an option, its launches do not fit today's cases
};

// Where today's folder is another kernel's in that tree, or has none, it is looked for by its name.
PastVersion read_past(const FileTree& tree, const Subject& today, const trust::Policy& policy);

// `today` with the version of one commit as the candidate and that of another as the base. Throws Error(usage) where
// one of them cannot be judged.
Subject read_pair(const trust::Authority& authority, Subject today, const std::string& candidate,
                  const std::string& base);

}  // namespace kgate::verdict
