#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file_tree.h"

namespace kgate::trust {

struct OpenRepository;

// A submodule's files by their paths in the repository around it.
class SubmoduleTree : public FileTree {
 public:
  SubmoduleTree(std::string folder, std::unique_ptr<FileTree> files);
  std::optional<Bytes> read(const std::string& path, std::uint64_t max_bytes) const override;
  std::vector<std::string> list(const std::string& folder) const override;
  std::vector<LeftOut> left_out(const std::string& folder) const override;
  std::string description() const override { return files_->description(); }

 private:
  std::string inner(const std::string& path) const;
  std::string folder_;
  std::unique_ptr<FileTree> files_;
};

// The submodule at `folder` as a commit of the repository around it pins it, and as it is checked out. `asked` is the
// path that led there: they throw Error(usage, asked, fact, remedy) where the submodule, or that commit of it, is not
// in this clone.
std::unique_ptr<FileTree> submodule_at(const OpenRepository& outer, const std::string& folder,
                                       const std::string& commit, const std::string& asked);
std::unique_ptr<FileTree> submodule_checked_out(const OpenRepository& outer, const std::string& folder,
                                                const std::string& asked);

}  // namespace kgate::trust
