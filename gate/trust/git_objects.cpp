#include "gate/trust/git_objects.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "gate/trust/libgit2.h"

namespace kgate::trust {
namespace {

constexpr const char* kAuthor = "kgate";
constexpr const char* kAuthorAddress = "noreply@kgate.dev";

ObjectName name_of(const git_oid& id) {
  ObjectName name;
  std::copy_n(id.id, name.bytes.size(), name.bytes.begin());
  return name;
}

git_oid id_of(const ObjectName& name) {
  git_oid id{};
  std::copy_n(name.bytes.begin(), name.bytes.size(), id.id);
  return id;
}

EntryKind kind_of(git_filemode_t mode) {
  return mode == GIT_FILEMODE_BLOB ? EntryKind::file : mode == GIT_FILEMODE_TREE ? EntryKind::folder : EntryKind::other;
}

Error lost(const OpenRepository& open, const ObjectName& name) {
  return unreadable(open, id_of(name), "git object " + name.hex(), "it");
}

Error cannot_write(const std::string& what, int code) {
  return {ErrorKind::environment, what, "cannot be written: " + git_reason(code),
          "see that the repository's folder can be written and its disk has room"};
}

Git<git_commit> find_commit(git_repository* repository, const ObjectName& name) {
  const git_oid id = id_of(name);
  Git<git_commit> commit;
  if (git_commit_lookup(out(commit), repository, &id) != 0) return {};
  return commit;
}

}  // namespace

std::string ObjectName::hex() const {
  const git_oid id = id_of(*this);
  std::string text(GIT_OID_HEXSZ, '0');
  git_oid_fmt(text.data(), &id);
  return text;
}

std::optional<ObjectName> ObjectName::from_hex(const std::string& text) {
  git_oid id;
  if (text.size() != GIT_OID_HEXSZ || git_oid_fromstr(&id, text.c_str()) != 0) return std::nullopt;
  return name_of(id);
}

GitObjects::GitObjects(std::shared_ptr<OpenRepository> repository) : repository_(std::move(repository)) {}

GitObjects GitObjects::reopened() const {
  return GitObjects(open_repository(repository_->root));
}

bool GitObjects::shallow() const {
  const std::lock_guard lock(repository_->mutex);
  return git_repository_is_shallow(repository_->repository.get()) == 1;
}

std::optional<ObjectName> GitObjects::commit_at(const std::string& ref) const {
  const std::lock_guard lock(repository_->mutex);
  git_oid id;
  const int code = git_reference_name_to_id(&id, repository_->repository.get(), ref.c_str());
  if (code == GIT_ENOTFOUND) return std::nullopt;
  if (code != 0) {
    throw Error(ErrorKind::usage, ref, "cannot be read: " + git_reason(code),
                "see what git rev-parse says about it; [ledger] branch in the policy names the ledger's branch");
  }
  return name_of(id);
}

bool GitObjects::exists(const ObjectName& name) const {
  const std::lock_guard lock(repository_->mutex);
  const git_oid id = id_of(name);
  Git<git_odb> database;
  if (git_repository_odb(out(database), repository_->repository.get()) != 0) throw lost(*repository_, name);
  return git_odb_exists(database.get(), &id) == 1;
}

std::optional<CommitObject> GitObjects::commit(const ObjectName& name) const {
  const std::lock_guard lock(repository_->mutex);
  const Git<git_commit> commit = find_commit(repository_->repository.get(), name);
  if (!commit) return std::nullopt;
  CommitObject result{name_of(*git_commit_tree_id(commit.get())), {}};
  for (unsigned i = 0; i < git_commit_parentcount(commit.get()); ++i)
    result.parents.push_back(name_of(*git_commit_parent_id(commit.get(), i)));
  return result;
}

std::vector<TreeEntry> GitObjects::tree(const ObjectName& name) const {
  const std::lock_guard lock(repository_->mutex);
  const git_oid id = id_of(name);
  Git<git_tree> tree;
  if (git_tree_lookup(out(tree), repository_->repository.get(), &id) != 0) throw lost(*repository_, name);
  std::vector<TreeEntry> entries(git_tree_entrycount(tree.get()));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const git_tree_entry* entry = git_tree_entry_byindex(tree.get(), i);
    entries[i] = {git_tree_entry_name(entry), kind_of(git_tree_entry_filemode_raw(entry)),
                  name_of(*git_tree_entry_id(entry))};
  }
  return entries;
}

std::optional<TreeEntry> GitObjects::find(const ObjectName& name, const std::string& path) const {
  const std::lock_guard lock(repository_->mutex);
  const git_oid id = id_of(name);
  Git<git_tree> tree;
  if (git_tree_lookup(out(tree), repository_->repository.get(), &id) != 0) throw lost(*repository_, name);
  git_tree_entry* raw = nullptr;
  const int code = git_tree_entry_bypath(&raw, tree.get(), path.c_str());
  const std::unique_ptr<git_tree_entry, decltype(&git_tree_entry_free)> entry(raw, git_tree_entry_free);
  if (code != 0) return std::nullopt;
  return TreeEntry{git_tree_entry_name(raw), kind_of(git_tree_entry_filemode_raw(raw)),
                   name_of(*git_tree_entry_id(raw))};
}

Bytes GitObjects::blob(const ObjectName& name, std::uint64_t max_bytes, const std::string& subject) const {
  const std::lock_guard lock(repository_->mutex);
  const git_oid id = id_of(name);
  Git<git_odb> database;
  std::size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  // The owner is filled at the end of a statement: what uses it is the next one.
  if (git_repository_odb(out(database), repository_->repository.get()) != 0) throw lost(*repository_, name);
  if (git_odb_read_header(&size, &type, database.get(), &id) != 0) throw lost(*repository_, name);
  if (size > max_bytes) {
    throw Error(ErrorKind::untrusted, subject,
                "has " + std::to_string(size) + " bytes, and at most " + std::to_string(max_bytes) + " are allowed");
  }
  Git<git_blob> blob;
  if (git_blob_lookup(out(blob), repository_->repository.get(), &id) != 0) throw lost(*repository_, name);
  const auto* begin = static_cast<const std::byte*>(git_blob_rawcontent(blob.get()));
  return Bytes(begin, begin + git_blob_rawsize(blob.get()));
}

ObjectName GitObjects::write(const NewCommit& commit) const {
  const std::lock_guard lock(repository_->mutex);
  git_repository* repository = repository_->repository.get();
  std::vector<git_tree_update> updates;
  for (const auto& [path, content] : commit.files) {
    git_tree_update update{GIT_TREE_UPDATE_UPSERT, {}, GIT_FILEMODE_BLOB, path.c_str()};
    const int code = git_blob_create_from_buffer(&update.id, repository, content.empty() ? "" : text_of(content).data(),
                                                 content.size());
    if (code != 0) throw cannot_write(path, code);
    updates.push_back(update);
  }
  Git<git_commit> parent;
  Git<git_tree> before, after;
  if (commit.parent) {
    parent = find_commit(repository, *commit.parent);
    if (!parent || git_commit_tree(out(before), parent.get()) != 0) throw lost(*repository_, *commit.parent);
  }
  git_oid id{};
  int code = git_tree_create_updated(&id, repository, before.get(), updates.size(), updates.data());
  if (code == 0) code = git_tree_lookup(out(after), repository, &id);
  if (code != 0) throw cannot_write("tree", code);

  git_signature* raw = nullptr;
  code = git_signature_new(&raw, kAuthor, kAuthorAddress, commit.time, 0);
  const std::unique_ptr<git_signature, decltype(&git_signature_free)> author(raw, git_signature_free);
  if (code == 0 && parent) {
    code = git_commit_create_v(&id, repository, nullptr, author.get(), author.get(), "UTF-8", commit.message.c_str(),
                               after.get(), 1, parent.get());
  } else if (code == 0) {
    code = git_commit_create_v(&id, repository, nullptr, author.get(), author.get(), "UTF-8", commit.message.c_str(),
                               after.get(), 0);
  }
  if (code != 0) throw cannot_write("commit", code);
  return name_of(id);
}

}  // namespace kgate::trust
