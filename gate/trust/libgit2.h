#pragma once

#include <memory>
#include <mutex>
#include <string>

#include <git2.h>

// libgit2 with owners. Only this folder's sources include it: no other header of kgate knows libgit2.
namespace kgate::trust {

// libgit2 counts its users; each object that uses it holds one of these.
class LibGit2 {
 public:
  LibGit2() { git_libgit2_init(); }
  ~LibGit2() { git_libgit2_shutdown(); }
  LibGit2(const LibGit2&) = delete;
  LibGit2& operator=(const LibGit2&) = delete;
};

struct GitFree {
  void operator()(git_repository* p) const { git_repository_free(p); }
  void operator()(git_object* p) const { git_object_free(p); }
  void operator()(git_commit* p) const { git_commit_free(p); }
  void operator()(git_tree* p) const { git_tree_free(p); }
  void operator()(git_blob* p) const { git_blob_free(p); }
  void operator()(git_odb* p) const { git_odb_free(p); }
};
template <typename T>
using Git = std::unique_ptr<T, GitFree>;

// libgit2 fills a raw pointer; this hands it to an owner: `git_commit_tree(out(tree), commit)`.
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

// One open repository. libgit2's objects may not be used by two threads at once: `mutex` is held around every use.
struct OpenRepository {
  LibGit2 library;
  Git<git_repository> repository;
  std::string root;  // the working tree's top folder, absolute, without a final slash
  std::mutex mutex;
};

}  // namespace kgate::trust
