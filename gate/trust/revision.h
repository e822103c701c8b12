#pragma once

#include <optional>
#include <string>

namespace kgate::trust {

struct OpenRepository;

// The commit that a revision names (branch, tag, SHA, "HEAD~1"), as 40 hex digits; nothing where there is none. Called
// with the mutex held. Throws Error(untrusted) for a name that two refs of different commits bear, Error(usage) for
// digits that several objects begin with and where the commit that a ref names cannot be read.
std::optional<std::string> resolve_revision(const OpenRepository& repository, const std::string& revision);

// The first parent; nothing for the first commit of all, and where a shallow clone ends.
std::optional<std::string> first_parent(const OpenRepository& repository, const std::string& commit);

}  // namespace kgate::trust
