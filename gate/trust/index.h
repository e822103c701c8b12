#pragma once

#include <optional>
#include <string>

#include "base/file_tree.h"
#include "gate/trust/libgit2.h"

// What git's index says about the working tree. Called with the repository's mutex held; for this folder's sources.
namespace kgate::trust {

// Throws Error(usage, root, fact, remedy) where libgit2 cannot read it.
Git<git_index> read_index(const OpenRepository& repository);

// A file .gitattributes as git would commit by it: the working tree's, else the index's (a sparse checkout may have
// left it out).
std::optional<Bytes> attributes_file(const OpenRepository& repository, git_index* index, const FileTree& folder,
                                     const std::string& path);

// Whether the working tree holds something else than HEAD: a tracked file that was changed, added or removed, an
// untracked one that is not ignored, a submodule at another commit or itself changed. What a sparse checkout leaves out
// is not removed.
bool differs_from_head(const OpenRepository& repository);

// For a file that the index has and a sparse checkout left out.
constexpr const char* kSparse = "is left out of this working tree by a sparse checkout";
std::string sparse_remedy(const OpenRepository& repository);

}  // namespace kgate::trust
