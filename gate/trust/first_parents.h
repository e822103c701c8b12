#pragma once

#include <string>
#include <vector>

#include "gate/trust/repository.h"

namespace kgate::trust {

// What a commit says about itself. All but the names is its author's to choose.
struct CommitInfo {
  std::string id;                    // 40 hex digits
  std::vector<std::string> parents;  // two and more: a merge
  std::string author, date;          // name; the author's time, "2026-11-29T22:55:27Z"
  std::string subject;               // the message's first paragraph, in one line
};

// Throws Error(usage) where this clone does not have it.
CommitInfo read_commit(const Repository& repository, const std::string& commit);

// `first`, and what `last` has beyond it, the oldest first and `last` at the end: along first parents, so that what a
// merge brought is one step. Where that way does not lead over `first`, which then came in by a merge, it begins with
// the oldest commit that `first` does not have. Throws Error(usage) where `first` is not among the ancestors of `last`.
std::vector<std::string> first_parents(const Repository& repository, const std::string& first, const std::string& last);

}  // namespace kgate::trust
