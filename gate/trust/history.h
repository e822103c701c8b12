#pragma once

#include <string>
#include <vector>

#include "gate/trust/repository.h"

namespace kgate::trust {

// Since when a branch has had these files as its commit has them ("2026-11-29T22:55:27Z"): the committer's time of the
// oldest commit, on the way back along first parents, from which on none of them changed. The way ends at the first
// such commit that is not younger than `enough`, and where this clone's history does: the answer is then the latest
// that it can have been.
std::string unchanged_since(const Repository& repository, const std::string& commit,
                            const std::vector<std::string>& paths, const std::string& enough);

}  // namespace kgate::trust
