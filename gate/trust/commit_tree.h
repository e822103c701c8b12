#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file_tree.h"

namespace kgate::trust {

struct OpenRepository;

// The files of one commit, read from git's objects: what was committed, whatever the working tree, its filters or its
// attributes say. Nothing but what the commit pins is ever read: links (mode 120000) are refused, a submodule (mode
// 160000) is read at the commit that is pinned, and left out of a list unless `folder` lies in it; what Git LFS keeps
// is read by the digest that stands in its pointer.
class CommitTree : public FileTree {
 public:
  // `commit`: 40 hex digits. Throws Error(usage) where this clone does not have it.
  CommitTree(std::shared_ptr<OpenRepository> repository, const std::string& commit);
  ~CommitTree() override;
  std::optional<Bytes> read(const std::string& path, std::uint64_t max_bytes) const override;
  std::vector<std::string> list(const std::string& folder) const override;
  std::string description() const override;

 private:
  struct Objects;
  const FileTree& submodule(const std::string& folder, const std::string& commit, const std::string& asked) const;
  std::shared_ptr<OpenRepository> repository_;
  std::string commit_;
  std::unique_ptr<Objects> objects_;
  mutable std::map<std::string, std::unique_ptr<FileTree>> submodules_;  // by folder, with the mutex held
};

}  // namespace kgate::trust
