#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/file_tree.h"

namespace kgate::trust {

struct OpenRepository;

// The working tree's files as git would commit them, so that an unchanged file is equal to the commit's, byte by byte:
// line endings as git's own filter leaves them, and for what Git LFS keeps the file itself; a file that a checkout
// changes by more than that is refused as Error(untrusted). What a sparse checkout leaves out, and a submodule that is
// not checked out, are told, not taken for removed. Submodules and other repositories within this one are left out of a
// list unless `folder` lies in them.
class WorkingTree : public FileTree {
 public:
  // Throws Error(usage, root, fact, remedy) where the index cannot be read.
  explicit WorkingTree(std::shared_ptr<OpenRepository> repository);
  ~WorkingTree() override;
  std::optional<Bytes> read(const std::string& path, std::uint64_t max_bytes) const override;
  std::vector<std::string> list(const std::string& folder) const override;
  std::vector<LeftOut> left_out(const std::string& folder) const override;
  std::string description() const override { return folder_.description(); }

 private:
  const FileTree* submodule_with(const std::string& path) const;
  std::set<std::string> repositories_in(const std::vector<std::string>& files, const std::string& folder) const;
  Bytes committed_form(const std::string& path, Bytes content) const;  // with the mutex held

  struct Index;
  std::shared_ptr<OpenRepository> repository_;
  std::unique_ptr<Index> index_;
  FolderTree folder_;
  std::set<std::string> submodules_, sparse_;  // of the index: folders; files that the checkout leaves out
  mutable std::map<std::string, std::unique_ptr<FileTree>> opened_;  // submodules, with the mutex held
};

}  // namespace kgate::trust
