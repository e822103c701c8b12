#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/file_tree.h"

namespace kgate::trust {

struct OpenRepository;

// A git repository, read with libgit2: objects and refs only, never the index's filters or hooks.
class Repository {
 public:
  // Finds the repository that holds `folder`. Throws Error(usage, folder, "is not in a git repository", remedy).
  static Repository open(const std::string& folder);
  Repository(Repository&&) noexcept;
  ~Repository();

  std::string root() const;  // the working tree's top folder, absolute
  // The commit that a revision names (branch, tag, SHA, "HEAD~1"), as 40 hex digits; nothing where there is none.
  std::optional<std::string> resolve(const std::string& revision) const;
  // The best common ancestor, where the history reaches that far.
  std::optional<std::string> merge_base(const std::string& one, const std::string& other) const;
  // True where history ends early: git clone --depth.
  bool shallow() const;
  // True where a tracked file differs from HEAD, or an untracked file that is not ignored exists.
  bool dirty() const;
  // The files of a commit, read from its objects (blobs only: links and submodules are refused as FolderTree refuses
  // links).
  std::unique_ptr<FileTree> tree(const std::string& commit) const;
  // For this folder's sources, which know libgit2.
  std::shared_ptr<OpenRepository> opened() const;

 private:
  struct Handle;
  explicit Repository(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

}  // namespace kgate::trust
