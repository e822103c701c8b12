#include "gate/trust/working_tree.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/trust/index.h"
#include "gate/trust/lfs.h"
#include "gate/trust/libgit2.h"
#include "gate/trust/rewritten.h"
#include "gate/trust/submodule.h"

// The candidate is what would be merged: not the bytes on disk, where a checkout may have turned LF into CRLF, but what
// git makes of them on the way back. Then one digest stands for a file wherever it is checked out, in signatures, in
// the ledger and in "unchanged". Line ends are all that the two may differ by (rewritten.cpp). Rejected: to compare
// with line endings ignored, which every reader of a digest would have to do again.
namespace kgate::trust {
namespace {

constexpr std::string_view kLink = "/.git";

bool lies_in(const std::string& path, const std::string& folder) {
  return folder.empty() || path == folder ||
         (path.size() > folder.size() && path.compare(0, folder.size(), folder) == 0 && path[folder.size()] == '/');
}

// git's own folder, which no commit can hold. A checkout's credentials may lie in it.
bool is_gits(const std::string& path) {
  return ("/" + path + "/").find("/.git/") != std::string::npos;
}

// The one of `folders` that a file lies in; empty where it lies in none.
std::string holder_of(const std::string& file, const std::set<std::string>& folders) {
  if (folders.empty()) return {};
  for (std::size_t slash = file.find('/'); slash != std::string::npos; slash = file.find('/', slash + 1)) {
    if (const auto found = folders.find(file.substr(0, slash)); found != folders.end()) return *found;
  }
  return {};
}

// What this machine's own configuration says (core.attributesFile, .git/info/attributes), by libgit2: where a file of
// the tree says nothing.
void add_own(Attributes& attributes, git_repository* repository, const std::string& path) {
  for (const char* name : {"filter", "working-tree-encoding"}) {
    const char* value = nullptr;
    if (git_attr_get(&value, repository, GIT_ATTR_CHECK_FILE_THEN_INDEX, path.c_str(), name) != 0) continue;
    if (git_attr_value(value) == GIT_ATTR_VALUE_STRING) attributes.emplace(name, value);
  }
}

}  // namespace

struct WorkingTree::Index {
  Git<git_index> entries;

  // Whether these bytes are what was committed, or staged, under this path.
  bool has(const std::string& path, const Bytes& content) const {
    const git_index_entry* entry = git_index_get_bypath(entries.get(), path.c_str(), 0);
    git_oid id;
    return entry != nullptr && git_odb_hash(&id, content.data(), content.size(), GIT_OBJECT_BLOB) == 0 &&
           git_oid_equal(&id, &entry->id) != 0;
  }
};

WorkingTree::WorkingTree(std::shared_ptr<OpenRepository> repository)
    : repository_(std::move(repository)), folder_(repository_->root) {
  const std::lock_guard lock(repository_->mutex);
  index_ = std::make_unique<Index>(Index{read_index(*repository_)});
  const git_index* index = index_->entries.get();
  for (std::size_t i = 0; i < git_index_entrycount(index); ++i) {
    const git_index_entry* entry = git_index_get_byindex(index_->entries.get(), i);
    if (entry->mode == GIT_FILEMODE_COMMIT) submodules_.insert(entry->path);
    if ((entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0) sparse_.insert(entry->path);
  }
}

WorkingTree::~WorkingTree() {
  const std::lock_guard lock(repository_->mutex);
  index_.reset();
}

// The submodule that a path lies in; null where it lies in none.
const FileTree* WorkingTree::submodule_with(const std::string& path) const {
  const auto found = std::find_if(submodules_.begin(), submodules_.end(),
                                  [&](const std::string& folder) { return lies_in(path, folder); });
  if (found == submodules_.end()) return nullptr;
  const std::lock_guard lock(repository_->mutex);
  auto& tree = opened_[*found];
  if (!tree) tree = submodule_checked_out(*repository_, *found, path);
  return tree.get();
}

std::optional<Bytes> WorkingTree::read(const std::string& path, std::uint64_t max_bytes) const {
  const std::string full = join_beneath("", path);
  if (is_gits(full)) return std::nullopt;
  if (submodules_.count(full) == 0) {
    if (const FileTree* submodule = submodule_with(full)) return submodule->read(full, max_bytes);
  }
  auto content = folder_.read(path, max_bytes);
  if (!content) {
    if (sparse_.count(full) == 0) return std::nullopt;
    throw Error(ErrorKind::usage, path, kSparse, sparse_remedy(*repository_));
  }
  const std::lock_guard lock(repository_->mutex);
  const ReadAttributes attributes = [&](const std::string& file) {
    return attributes_file(*repository_, index_->entries.get(), folder_, file);
  };
  if (const auto pointer = lfs_pointer_at(full, *content, attributes)) {
    auto stored = read_lfs_object(*repository_, *pointer, path, max_bytes);
    if (stored) return stored;
    throw Error(ErrorKind::usage, path, "is kept by Git LFS, and the working tree has only its pointer",
                fmt::format("git -C {} lfs pull (in actions/checkout: lfs: true)", repository_->root));
  }
  Attributes all = attributes_of(full, attributes);
  add_own(all, repository_->repository.get(), full);
  refuse_rewritten(path, *content, all);
  return committed_form(full, std::move(*content));
}

Bytes WorkingTree::committed_form(const std::string& path, Bytes content) const {
  git_repository* repository = repository_->repository.get();
  // Bytes that were committed as they stand are that, whatever a filter would make of them by now: a commit can hold
  // CRLF in spite of its own attributes, and what is judged must be what is merged.
  if (index_->has(path, content)) return content;
  Git<git_filter_list> filters;
  int code =
      git_filter_list_load(out(filters), repository, nullptr, path.c_str(), GIT_FILTER_TO_ODB, GIT_FILTER_ALLOW_UNSAFE);
  if (code == 0 && !filters) return content;
  git_buf result = GIT_BUF_INIT, given = GIT_BUF_INIT;
  given.ptr = reinterpret_cast<char*>(content.data());
  given.size = content.size();
  // By its older name, which all versions have.
  if (code == 0) code = git_filter_list_apply_to_data(&result, filters.get(), &given);
  if (code != 0) {
    throw Error(ErrorKind::usage, path, "what git would commit of it cannot be told: " + git_reason(code),
                "see what git add says about it");
  }
  const ByteView bytes = view_of({result.ptr, result.size});
  Bytes made(bytes.begin(), bytes.end());
  git_buf_dispose(&result);
  refuse_unlike(path, content, made);
  return made;
}

// Repositories within this one that a listing of `folder` came upon: submodules, and linked worktrees and clones, which
// have a file `.git`.
std::set<std::string> WorkingTree::repositories_in(const std::vector<std::string>& files,
                                                   const std::string& folder) const {
  std::set<std::string> found = submodules_;
  for (const std::string& file : files) {
    if (file.size() > kLink.size() && file.compare(file.size() - kLink.size(), kLink.size(), kLink) == 0) {
      found.insert(file.substr(0, file.size() - kLink.size()));
    }
  }
  for (auto one = found.begin(); one != found.end();) one = lies_in(folder, *one) ? found.erase(one) : std::next(one);
  return found;
}

std::vector<std::string> WorkingTree::list(const std::string& folder) const {
  const std::string full = folder.empty() ? "" : join_beneath("", folder);
  if (is_gits(full)) return {};
  if (const FileTree* submodule = submodule_with(full)) return submodule->list(full);
  std::vector<std::string> files = folder_.list(folder);
  const std::set<std::string> others = repositories_in(files, full);
  std::erase_if(files, [&](const std::string& file) { return is_gits(file) || !holder_of(file, others).empty(); });
  return files;
}

std::vector<FileTree::LeftOut> WorkingTree::left_out(const std::string& folder) const {
  const std::string full = folder.empty() ? "" : join_beneath("", folder);
  if (is_gits(full)) return {};
  if (const FileTree* submodule = submodule_with(full)) return submodule->left_out(full);
  std::vector<LeftOut> left;
  const std::vector<std::string> files = folder_.list(folder);
  for (const std::string& path : sparse_) {
    if (lies_in(path, full) && !std::binary_search(files.begin(), files.end(), path)) {
      left.push_back({path, kSparse, sparse_remedy(*repository_)});
    }
  }
  const std::set<std::string> others = repositories_in(files, full);
  for (const std::string& file : files) {
    const std::string holder = holder_of(file, others);
    if (holder.empty() || is_gits(file)) continue;
    left.push_back({file, fmt::format("lies in {}, a repository of its own", holder),
                    fmt::format("a pattern that begins with {}/ reads it", holder)});
  }
  return left;
}

}  // namespace kgate::trust
