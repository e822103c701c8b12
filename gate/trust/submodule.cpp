#include "gate/trust/submodule.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/trust/commit_tree.h"
#include "gate/trust/libgit2.h"
#include "gate/trust/revision.h"
#include "gate/trust/working_tree.h"

// Libraries of headers often are submodules. A commit pins a submodule's commit, so what is read by that pin is part of
// the commit, as trustworthy as its own files, in whichever object database it lies. The database is the one of the
// checked out submodule: git puts it nowhere else that could be told from the commit.
namespace kgate::trust {
namespace {

std::shared_ptr<OpenRepository> open_submodule(const OpenRepository& outer, const std::string& folder,
                                               const std::string& asked) {
  const std::filesystem::path place = std::filesystem::path(outer.root) / folder;
  std::error_code failed;
  if (!std::filesystem::exists(place / ".git", failed)) {
    throw Error(ErrorKind::usage, asked, fmt::format("lies in the submodule {}, which is not checked out", folder),
                fmt::format("git -C {} submodule update --init {}", outer.root, folder));
  }
  return open_repository(place.string());
}

}  // namespace

SubmoduleTree::SubmoduleTree(std::string folder, std::unique_ptr<FileTree> files)
    : folder_(std::move(folder)), files_(std::move(files)) {}

std::string SubmoduleTree::inner(const std::string& path) const {
  return path.size() > folder_.size() ? path.substr(folder_.size() + 1) : "";
}

std::optional<Bytes> SubmoduleTree::read(const std::string& path, std::uint64_t max_bytes) const {
  const std::string own = inner(path);
  try {
    return files_->read(own, max_bytes);
  } catch (const Error& error) {
    if (error.subject() != own) throw;
    throw Error(error.kind(), path, error.fact(), error.hint());
  }
}

std::vector<std::string> SubmoduleTree::list(const std::string& folder) const {
  std::vector<std::string> files = files_->list(inner(folder));
  for (std::string& file : files) file = folder_ + "/" + file;
  return files;
}

std::vector<FileTree::LeftOut> SubmoduleTree::left_out(const std::string& folder) const {
  std::vector<LeftOut> files = files_->left_out(inner(folder));
  for (LeftOut& file : files) file.path = folder_ + "/" + file.path;
  return files;
}

std::unique_ptr<FileTree> submodule_at(const OpenRepository& outer, const std::string& folder,
                                       const std::string& commit, const std::string& asked) {
  auto opened = open_submodule(outer, folder, asked);
  if (!resolve_revision(*opened, commit)) {
    throw Error(ErrorKind::usage, asked,
                fmt::format("lies in the submodule {} at commit {}, which is not in its clone", folder, commit),
                fmt::format("git -C {}/{} fetch origin {}", outer.root, folder, commit));
  }
  return std::make_unique<SubmoduleTree>(folder, std::make_unique<CommitTree>(std::move(opened), commit));
}

std::unique_ptr<FileTree> submodule_checked_out(const OpenRepository& outer, const std::string& folder,
                                                const std::string& asked) {
  return std::make_unique<SubmoduleTree>(folder, std::make_unique<WorkingTree>(open_submodule(outer, folder, asked)));
}

}  // namespace kgate::trust
