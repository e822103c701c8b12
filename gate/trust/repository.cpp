#include "gate/trust/repository.h"

#include <mutex>
#include <utility>

#include "gate/trust/commit_tree.h"
#include "gate/trust/index.h"
#include "gate/trust/libgit2.h"
#include "gate/trust/revision.h"
#include "gate/trust/working_tree.h"

namespace kgate::trust {

struct Repository::Handle {
  std::shared_ptr<OpenRepository> open;
  git_repository* git() const { return open->repository.get(); }
};

Repository::Repository(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Repository::Repository(Repository&&) noexcept = default;
Repository::~Repository() = default;

Repository Repository::open(const std::string& folder) {
  auto handle = std::make_unique<Handle>();
  handle->open = open_repository(folder);
  return Repository(std::move(handle));
}

std::string Repository::root() const {
  return handle_->open->root;
}

std::optional<std::string> Repository::resolve(const std::string& revision) const {
  const std::lock_guard lock(handle_->open->mutex);
  return resolve_revision(*handle_->open, revision);
}

std::optional<std::string> Repository::parent(const std::string& commit) const {
  const std::lock_guard lock(handle_->open->mutex);
  return first_parent(*handle_->open, commit);
}

std::optional<std::string> Repository::merge_base(const std::string& one, const std::string& other) const {
  const std::lock_guard lock(handle_->open->mutex);
  git_oid left, right, base;
  if (git_oid_fromstr(&left, one.c_str()) != 0 || git_oid_fromstr(&right, other.c_str()) != 0) return std::nullopt;
  // A shallow clone ends in commits whose parents are not there; libgit2 before 1.7 stops with an error at them.
  if (git_merge_base(&base, handle_->git(), &left, &right) != 0) return std::nullopt;
  return std::string(git_oid_tostr_s(&base));
}

std::optional<std::string> Repository::remote_url(const std::string& remote) const {
  const std::lock_guard lock(handle_->open->mutex);
  git_remote* found = nullptr;
  if (git_remote_lookup(&found, handle_->git(), remote.c_str()) != 0) return std::nullopt;
  const std::unique_ptr<git_remote, decltype(&git_remote_free)> owner(found, git_remote_free);
  const char* url = git_remote_url(found);
  return url == nullptr ? std::nullopt : std::optional<std::string>(url);
}

bool Repository::shallow() const {
  const std::lock_guard lock(handle_->open->mutex);
  return git_repository_is_shallow(handle_->git()) == 1;
}

bool Repository::dirty() const {
  const std::lock_guard lock(handle_->open->mutex);
  return differs_from_head(*handle_->open);
}

std::unique_ptr<FileTree> Repository::working_tree() const {
  return std::make_unique<WorkingTree>(handle_->open);
}

std::unique_ptr<FileTree> Repository::tree(const std::string& commit) const {
  return std::make_unique<CommitTree>(handle_->open, commit);
}

std::shared_ptr<OpenRepository> Repository::opened() const {
  return handle_->open;
}

}  // namespace kgate::trust
