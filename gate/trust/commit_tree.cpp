#include "gate/trust/commit_tree.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "gate/trust/libgit2.h"

namespace kgate::trust {
namespace {

// "a/b/c" -> "a", "b", "c". The path has been through join_beneath: no empty, "." or ".." segments.
std::vector<std::string> segments_of(const std::string& path) {
  std::vector<std::string> segments;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    segments.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return segments;
}

bool is_file(git_filemode_t mode) {
  return mode == GIT_FILEMODE_BLOB || mode == GIT_FILEMODE_BLOB_EXECUTABLE;
}

Error refuse(const std::string& path, const std::string& fact, const std::string& hint = {}) {
  return {ErrorKind::usage, path, fact, hint};
}

// A partial clone (git clone --filter) has commits and trees without their files.
Error incomplete(const std::string& path, const std::string& tree) {
  return refuse(path, "its content in " + tree + " is not in this clone",
                "fetch whole history: git fetch --refetch --no-filter (a partial clone leaves files out)");
}

}  // namespace

struct CommitTree::Objects {
  Git<git_odb> database;
  Git<git_tree> root;

  Git<git_tree> subtree(git_repository* repository, const git_tree_entry* entry) const {
    Git<git_tree> tree;
    if (git_tree_lookup(out(tree), repository, git_tree_entry_id(entry)) != 0) tree.reset();
    return tree;
  }
};

CommitTree::CommitTree(std::shared_ptr<OpenRepository> repository, const std::string& commit)
    : repository_(std::move(repository)), commit_(commit), objects_(std::make_unique<Objects>()) {
  const std::lock_guard lock(repository_->mutex);
  git_oid id;
  Git<git_commit> object;
  if (git_oid_fromstr(&id, commit.c_str()) != 0 ||
      git_commit_lookup(out(object), repository_->repository.get(), &id) != 0) {
    throw Error(ErrorKind::usage, "commit " + commit, "is not in this clone", "fetch it: git fetch origin " + commit);
  }
  int code = git_commit_tree(out(objects_->root), object.get());
  if (code == 0) code = git_repository_odb(out(objects_->database), repository_->repository.get());
  if (code != 0) throw Error(ErrorKind::usage, "commit " + commit, "its files cannot be read: " + git_reason(code));
}

CommitTree::~CommitTree() {
  const std::lock_guard lock(repository_->mutex);
  objects_.reset();
}

std::optional<Bytes> CommitTree::read(const std::string& path, std::uint64_t max_bytes) const {
  const std::vector<std::string> segments = segments_of(join_beneath("", path));
  const std::lock_guard lock(repository_->mutex);
  git_repository* repository = repository_->repository.get();
  Git<git_tree> holder;
  const git_tree* tree = objects_->root.get();
  const git_tree_entry* entry = nullptr;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    entry = git_tree_entry_byname(tree, segments[i].c_str());
    if (entry == nullptr) return std::nullopt;
    const git_filemode_t mode = git_tree_entry_filemode(entry);
    if (mode == GIT_FILEMODE_LINK)
      throw refuse(path, "is a symbolic link, or lies behind one", "put the file itself there");
    if (mode == GIT_FILEMODE_COMMIT) {
      throw refuse(path, "lies in a submodule, which is not part of " + description(),
                   "copy the file into the repository");
    }
    if (i + 1 == segments.size()) break;
    if (mode != GIT_FILEMODE_TREE) return std::nullopt;
    Git<git_tree> next = objects_->subtree(repository, entry);
    if (!next) throw incomplete(path, description());
    // `entry` points into the tree that `holder` owns: it is not used after this.
    holder = std::move(next);
    tree = holder.get();
  }
  if (entry == nullptr || !is_file(git_tree_entry_filemode(entry))) throw refuse(path, "is no regular file");

  // The size first, from the object's header: a huge blob is refused before it is inflated.
  std::size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  if (git_odb_read_header(&size, &type, objects_->database.get(), git_tree_entry_id(entry)) != 0) {
    throw incomplete(path, description());
  }
  if (size > max_bytes) {
    throw refuse(path, "has " + std::to_string(size) + " bytes; at most " + std::to_string(max_bytes) + " are allowed");
  }
  Git<git_blob> blob;
  if (git_blob_lookup(out(blob), repository, git_tree_entry_id(entry)) != 0) throw incomplete(path, description());
  const auto* begin = static_cast<const std::byte*>(git_blob_rawcontent(blob.get()));
  return Bytes(begin, begin + git_blob_rawsize(blob.get()));
}

std::vector<std::string> CommitTree::list(const std::string& folder) const {
  const std::vector<std::string> segments =
      folder.empty() ? std::vector<std::string>{} : segments_of(join_beneath("", folder));
  const std::lock_guard lock(repository_->mutex);
  git_repository* repository = repository_->repository.get();
  std::vector<std::string> files;
  // Folders still to be read, each with its path and a final slash. Depth first; the order is settled by the sort at
  // the end.
  std::vector<std::pair<std::string, Git<git_tree>>> open;
  Git<git_tree> start;
  if (git_tree_dup(out(start), objects_->root.get()) != 0) throw refuse(folder, "cannot be listed");
  std::string prefix;
  for (const std::string& segment : segments) {
    const git_tree_entry* entry = git_tree_entry_byname(start.get(), segment.c_str());
    if (entry == nullptr || git_tree_entry_filemode(entry) != GIT_FILEMODE_TREE) return {};
    Git<git_tree> next = objects_->subtree(repository, entry);
    if (!next) throw incomplete(folder, description());
    start = std::move(next);
    prefix += segment + "/";
  }
  open.emplace_back(prefix, std::move(start));
  while (!open.empty()) {
    const auto [path, tree] = std::move(open.back());
    open.pop_back();
    for (std::size_t i = 0; i < git_tree_entrycount(tree.get()); ++i) {
      const git_tree_entry* entry = git_tree_entry_byindex(tree.get(), i);
      const std::string name = git_tree_entry_name(entry);
      const git_filemode_t mode = git_tree_entry_filemode(entry);
      if (is_file(mode)) files.push_back(path + name);
      if (mode != GIT_FILEMODE_TREE || name.front() == '.') continue;
      Git<git_tree> next = objects_->subtree(repository, entry);
      if (!next) throw incomplete(path + name, description());
      open.emplace_back(path + name + "/", std::move(next));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string CommitTree::description() const {
  return "commit " + commit_.substr(0, 10);
}

}  // namespace kgate::trust
