#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <git2.h>

#include "base/error.h"

// libgit2 with owners. Only this folder's sources include it: no other header of kgate knows libgit2.
namespace kgate::trust {

// What git writes into a repository's format (extensions.*) and reading can do without: files that a partial clone left
// out are missing objects, a worktree's own configuration and the shape of its links are git's business. Everything
// else, such as another object format, stays refused. Set once: libgit2 keeps the list for the whole process.
inline void allow_extensions() {
#if defined(LIBGIT2_VERSION_MINOR) || LIBGIT2_VER_MINOR >= 4
  static const int once = [] {
    git_libgit2_init();
    const char* names[] = {"partialclone", "worktreeconfig", "preciousobjects", "relativeworktrees"};
    return git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, names, sizeof(names) / sizeof(names[0]));
  }();
  (void)once;
#endif
}

// By default libgit2 maps packs whole, up to 8 GB: 100,000 records in a pack of 555 MB took 644 MB and 15.9 s to
// verify. Many small windows are as fast (16.5 s, 242 MB), since records are read kernel by kernel from all over the
// pack; few large ones are not (4 MB each: 26 s).
inline void bound_memory() {
  git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, std::size_t{256} << 10U);
  git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, std::size_t{128} << 20U);
}

// libgit2 counts its users; each object that uses it holds one of these.
class LibGit2 {
 public:
  LibGit2() {
    git_libgit2_init();
    allow_extensions();
    bound_memory();
  }
  ~LibGit2() { git_libgit2_shutdown(); }
  LibGit2(const LibGit2&) = delete;
  LibGit2& operator=(const LibGit2&) = delete;
};

struct GitFree {
  void operator()(git_repository* p) const { git_repository_free(p); }
  void operator()(git_object* p) const { git_object_free(p); }
  void operator()(git_commit* p) const { git_commit_free(p); }
  void operator()(git_tree* p) const { git_tree_free(p); }
  void operator()(git_tree_entry* p) const { git_tree_entry_free(p); }
  void operator()(git_blob* p) const { git_blob_free(p); }
  void operator()(git_odb* p) const { git_odb_free(p); }
  void operator()(git_config* p) const { git_config_free(p); }
  void operator()(git_index* p) const { git_index_free(p); }
  void operator()(git_reference* p) const { git_reference_free(p); }
  void operator()(git_filter_list* p) const { git_filter_list_free(p); }
};
template <typename T>
using Git = std::unique_ptr<T, GitFree>;

// libgit2 fills a raw pointer; this hands it to an owner, at the end of the whole expression:
// `git_commit_tree(out(tree), commit)`, and `tree` in a statement of its own.
template <typename T>
class GitOut {
 public:
  explicit GitOut(Git<T>& owner) : owner_(owner) {}
  ~GitOut() { owner_.reset(raw_); }
  GitOut(const GitOut&) = delete;
  GitOut& operator=(const GitOut&) = delete;
  operator T**() { return &raw_; }

 private:
  Git<T>& owner_;
  T* raw_ = nullptr;
};
template <typename T>
GitOut<T> out(Git<T>& owner) {
  return GitOut<T>(owner);
}

// What libgit2 said about the last failure, or its number.
inline std::string git_reason(int code) {
  const git_error* error = git_error_last();
  if (error != nullptr && error->message != nullptr) return error->message;
  return "libgit2 error " + std::to_string(code);
}

// One value of a configuration; empty where it has none.
inline std::string setting_in(git_config* config, const std::string& name) {
  Git<git_config> snapshot;
  if (git_config_snapshot(out(snapshot), config) != 0) return {};
  const char* value = nullptr;
  return git_config_get_string(&value, snapshot.get(), name.c_str()) == 0 ? value : "";
}
inline std::string setting_of(git_repository* repository, const std::string& name) {
  Git<git_config> config;
  if (git_repository_config(out(config), repository) != 0) return {};
  return setting_in(config.get(), name);
}

// One open repository. libgit2's objects may not be used by two threads at once: `mutex` is held around every use.
struct OpenRepository {
  LibGit2 library;
  Git<git_repository> repository;
  std::string root;  // the working tree's top folder, absolute, without a final slash
  std::mutex mutex;
};

// The repository of the checkout that holds `folder`. Throws Error(usage, folder, fact, remedy).
std::shared_ptr<OpenRepository> open_repository(const std::string& folder);

// Where its objects lie: its own folder, and those that objects/info/alternates names (git clone --shared), also such
// as are not there.
std::vector<std::filesystem::path> object_folders(git_repository* repository);

// From now on an object whose file was cut short is an error, in every version of libgit2.
void guard_loose_objects(git_repository* repository);

// Why an object that ought to be there cannot be read (what libgit2 said last stands in it), and what brings it: the
// clone leaves files out, borrows them from a folder that is gone, or is damaged. Called with the mutex held.
Error unreadable(const OpenRepository& repository, const git_oid& object, const std::string& subject,
                 const std::string& what);

}  // namespace kgate::trust
