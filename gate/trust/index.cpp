#include "gate/trust/index.h"

#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_tree.h"
#include "gate/trust/lfs.h"
#include "gate/trust/revision.h"

namespace kgate::trust {
namespace {

// Two of git's own formats save time on huge working trees and are unknown to libgit2, which names them by four
// letters.
Error cannot_read(const OpenRepository& open, int code) {
  const std::string reason = git_reason(code);
  const auto mentions = [&](std::string_view word) { return reason.find(word) != std::string::npos; };
  if (mentions("'sdir'")) {
    return {ErrorKind::usage, open.root, "its index is sparse, which libgit2, by which kgate reads, cannot read",
            fmt::format("git -C {} sparse-checkout reapply --no-sparse-index", open.root)};
  }
  if (mentions("'link'")) {
    return {ErrorKind::usage, open.root, "its index is split, which libgit2, by which kgate reads, cannot read",
            fmt::format("git -C {} update-index --no-split-index", open.root)};
  }
  return {ErrorKind::usage, open.root, "the state of the working tree cannot be read: " + reason,
          fmt::format("see what git -C {} status says", open.root)};
}

bool is_left_out(const git_index_entry& entry) {
  return (entry.flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0;
}

// A file that a sparse checkout left out, that is there nevertheless, and that differs. libgit2 does not look at it.
bool is_changed_by_hand(const OpenRepository& open, const git_index_entry& entry) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(std::filesystem::path(open.root) / entry.path, failed)) return false;
  git_oid id;
  return git_repository_hashfile(&id, open.repository.get(), entry.path, GIT_OBJECT_BLOB, nullptr) != 0 ||
         git_oid_equal(&id, &entry.id) == 0;
}

// Whether a submodule is what HEAD pins, as it is checked out. By hand, because libgit2 lets .gitmodules, a file of the
// change, say which ones not to look at. One that cannot be read may be anything.
bool is_changed_submodule(const OpenRepository& open, const git_index_entry& entry, const git_tree* head) {
  git_tree_entry* raw = nullptr;
  Git<git_tree_entry> pinned;
  if (head != nullptr && git_tree_entry_bypath(&raw, head, entry.path) == 0) pinned.reset(raw);
  if (!pinned || git_oid_equal(git_tree_entry_id(pinned.get()), &entry.id) == 0) return true;
  const std::filesystem::path place = std::filesystem::path(open.root) / entry.path;
  std::error_code failed;
  if (!std::filesystem::exists(place / ".git", failed)) return false;
  try {
    const auto inner = open_repository(place.string());
    const std::string indexed = git_oid_tostr_s(&entry.id);  // a buffer that the next call uses again
    return resolve_revision(*inner, "HEAD") != indexed || differs_from_head(*inner);
  } catch (const Error&) {
    return true;
  }
}

Git<git_tree> tree_of_head(git_repository* repository) {
  Git<git_object> head;
  Git<git_tree> tree;
  if (git_revparse_single(out(head), repository, "HEAD^{tree}") != 0) return tree;
  if (git_tree_lookup(out(tree), repository, git_object_id(head.get())) != 0) tree.reset();
  return tree;
}

// What libgit2 takes for a change and git does not.
struct Excuse {
  const OpenRepository& open;
  git_index* index;

  bool holds(const std::string& path, unsigned state) const {
    const git_index_entry* entry = git_index_get_bypath(index, path.c_str(), 0);
    if (entry == nullptr) return false;
    if (state == GIT_STATUS_WT_DELETED) return is_left_out(*entry);
    return state == GIT_STATUS_WT_MODIFIED && is_kept_by_lfs(path, entry->id);
  }

 private:
  // A file whose pointer is in the index, which libgit2 compares with the file itself.
  bool is_kept_by_lfs(const std::string& path, const git_oid& id) const {
    Git<git_blob> blob;
    if (git_blob_lookup(out(blob), open.repository.get(), &id) != 0) return false;
    const auto* begin = static_cast<const std::byte*>(git_blob_rawcontent(blob.get()));
    const FolderTree folder(open.root);
    try {
      const auto pointer =
          lfs_pointer_at(path, {begin, static_cast<std::size_t>(git_blob_rawsize(blob.get()))},
                         [&](const std::string& file) { return attributes_file(open, index, folder, file); });
      if (!pointer) return false;
      const auto content = folder.read(path, pointer->size);
      return content && sha256_hex(*content) == pointer->sha256;
    } catch (const Error&) {
      return false;  // larger, or no file any more
    }
  }
};

}  // namespace

Git<git_index> read_index(const OpenRepository& open) {
  Git<git_index> index;
  const int code = git_repository_index(out(index), open.repository.get());
  if (code != 0) throw cannot_read(open, code);
  return index;
}

std::optional<Bytes> attributes_file(const OpenRepository& open, git_index* index, const FileTree& folder,
                                     const std::string& path) {
  if (auto content = folder.read(path, kMaxAttributes)) return content;
  const git_index_entry* entry = git_index_get_bypath(index, path.c_str(), 0);
  if (entry == nullptr || !is_left_out(*entry)) return std::nullopt;
  Git<git_blob> blob;
  if (git_blob_lookup(out(blob), open.repository.get(), &entry->id) != 0) {
    throw unreadable(open, entry->id, path, "its content in the index");
  }
  const auto* begin = static_cast<const std::byte*>(git_blob_rawcontent(blob.get()));
  return Bytes(begin, begin + git_blob_rawsize(blob.get()));
}

bool differs_from_head(const OpenRepository& open) {
  const Git<git_index> index = read_index(open);
  const Git<git_tree> head = tree_of_head(open.repository.get());
  for (std::size_t i = 0; i < git_index_entrycount(index.get()); ++i) {
    const git_index_entry* entry = git_index_get_byindex(index.get(), i);
    if (is_left_out(*entry) && is_changed_by_hand(open, *entry)) return true;
    if (entry->mode == GIT_FILEMODE_COMMIT && is_changed_submodule(open, *entry, head.get())) return true;
  }
  git_status_options options;
  git_status_init_options(&options, GIT_STATUS_OPTIONS_VERSION);
  options.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
  options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_EXCLUDE_SUBMODULES;
  const auto stop_at_first = [](const char* path, unsigned state, void* held) {
    return static_cast<const Excuse*>(held)->holds(path, state) ? 0 : 1;
  };
  Excuse excuse{open, index.get()};
  const int code = git_status_foreach_ext(open.repository.get(), &options, stop_at_first, &excuse);
  if (code < 0) {
    throw Error(ErrorKind::usage, open.root, "the state of the working tree cannot be read: " + git_reason(code),
                fmt::format("see what git -C {} status says", open.root));
  }
  return code == 1;
}

std::string sparse_remedy(const OpenRepository& open) {
  return fmt::format("git -C {} sparse-checkout disable", open.root);
}

}  // namespace kgate::trust
