#include "gate/trust/history.h"

#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/utc.h"
#include "gate/trust/libgit2.h"

// First parents, because they are the branch's own way: what a merge brought came with the merge, however old its
// commits say that they are.
namespace kgate::trust {
namespace {

// The files' names in git; nothing for one that is not there.
std::vector<std::optional<git_oid>> names_of(git_commit* commit, const std::vector<std::string>& paths) {
  std::vector<std::optional<git_oid>> names;
  Git<git_tree> tree;
  if (git_commit_tree(out(tree), commit) != 0) return names;
  for (const auto& path : paths) {
    git_tree_entry* raw = nullptr;
    const bool found = git_tree_entry_bypath(&raw, tree.get(), path.c_str()) == 0;
    const std::unique_ptr<git_tree_entry, decltype(&git_tree_entry_free)> entry(raw, git_tree_entry_free);
    names.push_back(found ? std::optional(*git_tree_entry_id(raw)) : std::nullopt);
  }
  return names;
}

bool equal(const std::vector<std::optional<git_oid>>& one, const std::vector<std::optional<git_oid>>& other) {
  if (one.size() != other.size()) return false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i].has_value() != other[i].has_value()) return false;
    if (one[i] && git_oid_cmp(&*one[i], &*other[i]) != 0) return false;
  }
  return true;
}

// Whoever made the commit wrote its time: one that no clock can have shown is as young as can be.
std::string time_of(git_commit* commit) {
  constexpr git_time_t kLatest = 253402300799;  // 9999-12-31T23:59:59Z
  const git_time_t time = git_commit_time(commit);
  return utc_time(static_cast<std::time_t>(time < 0 || time > kLatest ? kLatest : time));
}

}  // namespace

std::string unchanged_since(const Repository& repository, const std::string& commit,
                            const std::vector<std::string>& paths, const std::string& enough) {
  const auto open = repository.opened();
  const std::lock_guard lock(open->mutex);
  git_oid id;
  Git<git_commit> at;
  int code = git_oid_fromstr(&id, commit.c_str());
  if (code == 0) code = git_commit_lookup(out(at), open->repository.get(), &id);
  if (code != 0) {
    throw Error(ErrorKind::usage, "commit " + commit, "cannot be read: " + git_reason(code),
                "fetch whole history: git fetch --unshallow");
  }
  const auto now = names_of(at.get(), paths);
  std::string since = time_of(at.get());
  while (since > enough) {
    Git<git_commit> parent;
    // None before the first commit of all, and none beyond the end of a shallow clone.
    if (git_commit_parent(out(parent), at.get(), 0) != 0) return since;
    if (!equal(names_of(parent.get(), paths), now)) return since;
    at = std::move(parent);
    since = time_of(at.get());
  }
  return since;
}

}  // namespace kgate::trust
