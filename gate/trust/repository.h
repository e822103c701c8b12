#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/file_tree.h"

namespace kgate::trust {

struct OpenRepository;

// The fact of the error below, for who can do without one.
constexpr const char* kNoRepository = "is not in a git repository";

// A git repository, read with libgit2: no program and no hook that it names is ever run. docs/git.md says what each
// kind of clone and checkout comes to.
class Repository {
 public:
  // Finds the checkout that holds `folder`. Throws Error(usage, folder, "is not in a git repository", remedy), and with
  // other facts where there is one that cannot be read.
  static Repository open(const std::string& folder);
  Repository(Repository&&) noexcept;
  ~Repository();

  std::string root() const;  // the working tree's top folder, absolute
  // The commit that a revision names (branch, tag, SHA, "HEAD~1"), as 40 hex digits; nothing where there is none.
  // Throws Error(untrusted) for a name that two refs of different commits bear (a full one, refs/..., is never
  // ambiguous), Error(usage) for digits that several objects begin with and for a ref whose commit cannot be read.
  std::optional<std::string> resolve(const std::string& revision) const;
  // The first parent; nothing for the first commit of all, and where a shallow clone ends.
  std::optional<std::string> parent(const std::string& commit) const;
  // The best common ancestor, where the history reaches that far.
  std::optional<std::string> merge_base(const std::string& one, const std::string& other) const;
  // Of a remote, as configured ("url"); nothing where there is no such remote.
  std::optional<std::string> remote_url(const std::string& remote) const;
  // True where history ends early: git clone --depth.
  bool shallow() const;
  // True where a tracked file differs from HEAD, or an untracked file that is not ignored exists. Files that a sparse
  // checkout leaves out do not differ.
  bool dirty() const;
  // The files of a commit, read from its objects; links are refused as FolderTree refuses them.
  std::unique_ptr<FileTree> tree(const std::string& commit) const;
  // The working tree's files as git would commit them.
  std::unique_ptr<FileTree> working_tree() const;
  // For this folder's sources, which know libgit2.
  std::shared_ptr<OpenRepository> opened() const;

 private:
  struct Handle;
  explicit Repository(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

}  // namespace kgate::trust
