#include "gate/trust/repository.h"

#include <filesystem>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "gate/trust/commit_tree.h"
#include "gate/trust/libgit2.h"

namespace kgate::trust {
namespace {

// GIT_EOWNER came with libgit2 1.4.3; older headers lack the name, and never return it.
constexpr int kForeignOwner = -36;

std::string hex_of(const git_oid& id) {
  std::string text(GIT_OID_HEXSZ, '0');
  git_oid_fmt(text.data(), &id);
  return text;
}

std::string absolute(const std::string& folder) {
  std::error_code failed;
  const std::filesystem::path full = std::filesystem::weakly_canonical(folder, failed);
  return failed ? folder : full.string();
}

// libgit2 1.5 looks the exceptions up in the configuration, and where there are none it reports that as "not found":
// the code then reads as if there were no repository at all, and only the message tells the two apart.
bool is_foreign(int code) {
  return code == kForeignOwner ||
         (code == GIT_ENOTFOUND && git_reason(code).find("safe.directory") != std::string::npos);
}

// What stands in the way of opening: each case has a remedy of its own.
Error cannot_open(const std::string& folder, int code) {
  if (!std::filesystem::is_directory(folder)) {
    return {ErrorKind::usage, folder, "is not a folder", "name the repository's folder with --repo"};
  }
  if (is_foreign(code)) {
    // The check stays on: a repository's configuration can name programs to run, and git refuses for the same reason.
    // Who trusts the checkout says so in one line, as for git itself.
    return {ErrorKind::usage, folder, "belongs to another user, and git does not trust it",
            "where you do: git config --global --add safe.directory " + absolute(folder)};
  }
  if (code == GIT_ENOTFOUND) {
    return {ErrorKind::usage, folder, "is not in a git repository", "run kgate in a checkout, or name one with --repo"};
  }
  return {ErrorKind::usage, folder, "the git repository cannot be opened: " + git_reason(code)};
}

}  // namespace

struct Repository::Handle {
  std::shared_ptr<OpenRepository> open = std::make_shared<OpenRepository>();
  git_repository* git() const { return open->repository.get(); }
};

Repository::Repository(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Repository::Repository(Repository&&) noexcept = default;
Repository::~Repository() = default;

Repository Repository::open(const std::string& folder) {
  auto handle = std::make_unique<Handle>();
  const int code = git_repository_open_ext(out(handle->open->repository), folder.c_str(), 0, nullptr);
  if (code != 0) throw cannot_open(folder, code);
  const char* work = git_repository_workdir(handle->git());
  if (work == nullptr) {
    throw Error(ErrorKind::usage, folder, "is a bare repository, which has no working tree to judge",
                "check it out (git clone, git worktree add) and run kgate there");
  }
  std::string root = absolute(work);
  while (root.size() > 1 && root.back() == '/') root.pop_back();
  handle->open->root = std::move(root);
  return Repository(std::move(handle));
}

std::string Repository::root() const {
  return handle_->open->root;
}

std::optional<std::string> Repository::resolve(const std::string& revision) const {
  const std::lock_guard lock(handle_->open->mutex);
  Git<git_object> object;
  const int code = git_revparse_single(out(object), handle_->git(), revision.c_str());
  if (code == GIT_EAMBIGUOUS) {
    throw Error(ErrorKind::usage, "revision \"" + revision + "\"", "is ambiguous", "give more digits of the commit");
  }
  if (code != 0) return std::nullopt;
  Git<git_object> commit;
  if (git_object_peel(out(commit), object.get(), GIT_OBJECT_COMMIT) != 0) return std::nullopt;
  return hex_of(*git_object_id(commit.get()));
}

std::optional<std::string> Repository::merge_base(const std::string& one, const std::string& other) const {
  const std::lock_guard lock(handle_->open->mutex);
  git_oid left, right, base;
  if (git_oid_fromstr(&left, one.c_str()) != 0 || git_oid_fromstr(&right, other.c_str()) != 0) return std::nullopt;
  // A shallow clone ends in commits whose parents are not there; libgit2 before 1.7 stops with an error at them.
  if (git_merge_base(&base, handle_->git(), &left, &right) != 0) return std::nullopt;
  return hex_of(base);
}

bool Repository::shallow() const {
  const std::lock_guard lock(handle_->open->mutex);
  return git_repository_is_shallow(handle_->git()) == 1;
}

bool Repository::dirty() const {
  const std::lock_guard lock(handle_->open->mutex);
  git_status_options options;
  git_status_init_options(&options, GIT_STATUS_OPTIONS_VERSION);
  options.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
  options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_EXCLUDE_SUBMODULES;
  const auto stop_at_first = [](const char*, unsigned, void*) { return 1; };
  const int code = git_status_foreach_ext(handle_->git(), &options, stop_at_first, nullptr);
  if (code < 0) {
    throw Error(ErrorKind::usage, root(), "the state of the working tree cannot be read: " + git_reason(code));
  }
  return code == 1;
}

std::unique_ptr<FileTree> Repository::tree(const std::string& commit) const {
  return std::make_unique<CommitTree>(handle_->open, commit);
}

std::shared_ptr<OpenRepository> Repository::opened() const {
  return handle_->open;
}

}  // namespace kgate::trust
