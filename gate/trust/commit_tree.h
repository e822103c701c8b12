#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file_tree.h"

namespace kgate::trust {

struct OpenRepository;

// The files of one commit, read from git's objects: what was committed, whatever the working tree, its filters or its
// attributes say. Links (mode 120000) are refused and submodules (mode 160000) left out, so nothing outside the commit
// is ever read.
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
  std::shared_ptr<OpenRepository> repository_;
  std::string commit_;
  std::unique_ptr<Objects> objects_;
};

}  // namespace kgate::trust
