#include "gate/trust/commit_tree.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/trust/lfs.h"
#include "gate/trust/libgit2.h"
#include "gate/trust/submodule.h"

namespace kgate::trust {
namespace {

bool is_file(git_filemode_t mode) {
  return mode == GIT_FILEMODE_BLOB || mode == GIT_FILEMODE_BLOB_EXECUTABLE;
}

Error refuse(const std::string& path, const std::string& fact, const std::string& hint = {}) {
  return {ErrorKind::usage, path, fact, hint};
}

}  // namespace

struct CommitTree::Objects {
  const OpenRepository& open;
  Git<git_odb> database = {};
  Git<git_tree> root = {};

  git_repository* repository() const { return open.repository.get(); }

  // What stands at a path: walked down from the root, as far as the commit's own trees go.
  struct Place {
    Git<git_tree_entry> entry;  // empty: there is nothing
    std::string path;           // of the entry; shorter than what was asked where that lies behind a link or submodule
    git_filemode_t mode() const { return git_tree_entry_filemode(entry.get()); }
  };
  Place find(const std::string& path, const std::string& what) const {
    Place place;
    Git<git_tree> tree;
    if (git_tree_dup(out(tree), root.get()) != 0) throw refuse(path, what + " cannot be read: " + git_reason(0));
    for (std::size_t begin = 0; begin < path.size();) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      const git_tree_entry* next = git_tree_entry_byname(tree.get(), path.substr(begin, end - begin).c_str());
      place.entry.reset();
      if (next == nullptr || git_tree_entry_dup(out(place.entry), next) != 0) return {};
      place.path = path.substr(0, end);
      if (end == path.size() || place.mode() == GIT_FILEMODE_LINK || place.mode() == GIT_FILEMODE_COMMIT) break;
      if (place.mode() != GIT_FILEMODE_TREE) return {};
      tree = subtree(place.entry.get(), path, what);
      begin = end + 1;
    }
    return place;
  }

  Git<git_tree> subtree(const git_tree_entry* entry, const std::string& subject, const std::string& what) const {
    Git<git_tree> tree;
    const git_oid* id = git_tree_entry_id(entry);
    if (git_tree_lookup(out(tree), repository(), id) != 0) throw unreadable(open, *id, subject, what);
    return tree;
  }

  Bytes blob(const git_oid& id, const std::string& path, std::uint64_t max_bytes, const std::string& what) const {
    // The size first, from the object's header: a huge blob is refused before it is inflated.
    std::size_t size = 0;
    git_object_t type = GIT_OBJECT_INVALID;
    if (git_odb_read_header(&size, &type, database.get(), &id) != 0) throw unreadable(open, id, path, what);
    if (size > max_bytes) throw refuse(path, fmt::format("has {} bytes; at most {} are allowed", size, max_bytes));
    Git<git_blob> blob;
    if (git_blob_lookup(out(blob), repository(), &id) != 0) throw unreadable(open, id, path, what);
    const auto* begin = static_cast<const std::byte*>(git_blob_rawcontent(blob.get()));
    return Bytes(begin, begin + git_blob_rawsize(blob.get()));
  }
};

CommitTree::CommitTree(std::shared_ptr<OpenRepository> repository, const std::string& commit)
    : repository_(std::move(repository)), commit_(commit), objects_(new Objects{*repository_}) {
  const std::lock_guard lock(repository_->mutex);
  git_oid id{};
  Git<git_commit> object;
  const int code = git_oid_fromstr(&id, commit.c_str()) == 0
                       ? git_commit_lookup(out(object), repository_->repository.get(), &id)
                       : GIT_ENOTFOUND;
  if (code == GIT_ENOTFOUND) {
    throw Error(ErrorKind::usage, "commit " + commit, "is not in this clone", "fetch it: git fetch origin " + commit);
  }
  if (code != 0) throw unreadable(*repository_, id, "commit " + commit, "it");
  if (git_repository_odb(out(objects_->database), repository_->repository.get()) != 0 ||
      git_commit_tree(out(objects_->root), object.get()) != 0) {
    throw unreadable(*repository_, *git_commit_tree_id(object.get()), "commit " + commit, "its list of files");
  }
}

CommitTree::~CommitTree() {
  const std::lock_guard lock(repository_->mutex);
  objects_.reset();
}

const FileTree& CommitTree::submodule(const std::string& folder, const std::string& commit,
                                      const std::string& asked) const {
  auto& tree = submodules_[folder];
  if (!tree) tree = submodule_at(*repository_, folder, commit, asked);
  return *tree;
}

std::optional<Bytes> CommitTree::read(const std::string& path, std::uint64_t max_bytes) const {
  const std::string full = join_beneath("", path);
  const std::string what = "its content in " + description();
  const std::lock_guard lock(repository_->mutex);
  const Objects::Place place = objects_->find(full, what);
  if (!place.entry) return std::nullopt;
  const git_oid* id = git_tree_entry_id(place.entry.get());
  if (place.mode() == GIT_FILEMODE_LINK) {
    throw Error(ErrorKind::untrusted, path, "is a symbolic link, or lies behind one", "put the file itself there");
  }
  if (place.mode() == GIT_FILEMODE_COMMIT && place.path != full) {
    return submodule(place.path, git_oid_tostr_s(id), path).read(full, max_bytes);
  }
  if (!is_file(place.mode())) throw refuse(path, "is no regular file");
  Bytes content = objects_->blob(*id, path, max_bytes, what);
  // By the commit's own attributes: the working tree's are the change's.
  const auto pointer = lfs_pointer_at(full, content, [&](const std::string& file) -> std::optional<Bytes> {
    const Objects::Place attributes = objects_->find(file, what);
    if (!attributes.entry || attributes.path != file || !is_file(attributes.mode())) return std::nullopt;
    return objects_->blob(*git_tree_entry_id(attributes.entry.get()), file, kMaxAttributes, what);
  });
  if (!pointer) return content;
  auto stored = read_lfs_object(*repository_, *pointer, path, max_bytes);
  if (!stored) {
    throw refuse(path, fmt::format("is kept by Git LFS, and its content in {} is not in this clone", description()),
                 fmt::format("git -C {} lfs fetch origin {}", repository_->root, commit_));
  }
  return stored;
}

std::vector<std::string> CommitTree::list(const std::string& folder) const {
  const std::string full = folder.empty() ? "" : join_beneath("", folder);
  const std::string what = "its list of files in " + description();
  const std::lock_guard lock(repository_->mutex);
  // Folders still to be read, each with its path and a final slash. Depth first; the order is settled by the sort at
  // the end.
  std::vector<std::pair<std::string, Git<git_tree>>> open;
  if (full.empty()) {
    Git<git_tree> root;
    if (git_tree_dup(out(root), objects_->root.get()) != 0) throw refuse(folder, what + ": " + git_reason(0));
    open.emplace_back("", std::move(root));
  } else {
    const Objects::Place place = objects_->find(full, what);
    if (place.entry && place.mode() == GIT_FILEMODE_COMMIT) {
      return submodule(place.path, git_oid_tostr_s(git_tree_entry_id(place.entry.get())), folder).list(full);
    }
    if (!place.entry || place.mode() != GIT_FILEMODE_TREE) return {};
    open.emplace_back(full + "/", objects_->subtree(place.entry.get(), folder, what));
  }
  std::vector<std::string> files;
  while (!open.empty()) {
    const auto [path, tree] = std::move(open.back());
    open.pop_back();
    for (std::size_t i = 0; i < git_tree_entrycount(tree.get()); ++i) {
      const git_tree_entry* entry = git_tree_entry_byindex(tree.get(), i);
      const std::string name = git_tree_entry_name(entry);
      const git_filemode_t mode = git_tree_entry_filemode(entry);
      if (is_file(mode)) files.push_back(path + name);
      if (mode != GIT_FILEMODE_TREE || name.front() == '.') continue;
      open.emplace_back(path + name + "/", objects_->subtree(entry, path + name, what));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string CommitTree::description() const {
  return "commit " + commit_.substr(0, 10);
}

}  // namespace kgate::trust
