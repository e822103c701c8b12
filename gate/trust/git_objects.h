#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace kgate::trust {

struct OpenRepository;

// git's name of an object (SHA-1), as it stands in trees.
struct ObjectName {
  std::array<unsigned char, 20> bytes{};
  auto operator<=>(const ObjectName&) const = default;
  std::string hex() const;
  // Nothing where the text is not 40 hex digits.
  static std::optional<ObjectName> from_hex(const std::string& text);
};

enum class EntryKind { file, folder, other };  // file: mode 100644 and no other
struct TreeEntry {
  std::string name;
  EntryKind kind = EntryKind::other;
  ObjectName object;
};

struct CommitObject {
  ObjectName tree;
  std::vector<ObjectName> parents;
};

// The objects of a repository one by one, read and written through libgit2: for the ledger, whose files are too many to
// go through a FileTree. What a clone lacks (git clone --filter) is Error(usage) with a remedy, unless it says
// otherwise.
class GitObjects {
 public:
  explicit GitObjects(std::shared_ptr<OpenRepository> repository);
  // The same repository for another thread, without a common lock.
  GitObjects reopened() const;

  bool shallow() const;  // git clone --depth
  // The commit that a ref ("refs/heads/x") points to.
  std::optional<ObjectName> commit_at(const std::string& ref) const;
  // Whether this clone has an object of that name, of whatever kind.
  bool exists(const ObjectName& name) const;
  // Nothing where this clone lacks it, or it is no commit.
  std::optional<CommitObject> commit(const ObjectName& name) const;
  std::vector<TreeEntry> tree(const ObjectName& name) const;
  // The entry at a path ("ab/cdef") below a tree; nothing where there is none.
  std::optional<TreeEntry> find(const ObjectName& tree, const std::string& path) const;
  // Throws Error(untrusted, subject, ...) for more than max_bytes, which are never inflated.
  Bytes blob(const ObjectName& name, std::uint64_t max_bytes, const std::string& subject) const;

  struct NewCommit {
    std::optional<ObjectName> parent;    // its tree, with these files added or replaced, is the new one
    std::map<std::string, Bytes> files;  // by path
    std::string message;
    std::time_t time = 0;
  };
  // Author and committer are "kgate". No ref moves.
  ObjectName write(const NewCommit& commit) const;

 private:
  std::shared_ptr<OpenRepository> repository_;
};

}  // namespace kgate::trust
