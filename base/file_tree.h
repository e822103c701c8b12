#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/unique_fd.h"

namespace kgate {

// A tree of files to read from, whatever holds it: a folder on disk, or a commit's objects (gate/trust). Paths are
// relative, with '/'. Reading never leaves the tree and never follows a link.
class FileTree {
 public:
  virtual ~FileTree() = default;
  // The file's content, or nothing where there is no such file. Throws Error(usage) for a path that is absolute or
  // climbs out, for anything that is not a regular file, and for more than max_bytes; for links too, in a folder on
  // disk as Error(untrusted): whoever put one there may have meant another file.
  virtual std::optional<Bytes> read(const std::string& path, std::uint64_t max_bytes) const = 0;
  // Every regular file beneath `folder` ("" for all), sorted, as paths from the root of the tree; hidden folders
  // (".git") left out unless `folder` itself names one. Links are left out.
  virtual std::vector<std::string> list(const std::string& folder) const = 0;
  // Files beneath `folder` that one would look for here and that `list` leaves out, each with the reason ("is left out
  // of this working tree by a sparse checkout") and what to do: those that ask for them by a pattern say so.
  struct LeftOut {
    std::string path, fact, remedy;
  };
  virtual std::vector<LeftOut> left_out(const std::string& folder) const;
  // For messages: "working tree /src/app", "commit 1a2b3c4d5e".
  virtual std::string description() const = 0;
};

// A folder on disk, opened once; files are opened beneath it (openat2 with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS).
class FolderTree : public FileTree {
 public:
  explicit FolderTree(const std::filesystem::path& root);
  std::optional<Bytes> read(const std::string& path, std::uint64_t max_bytes) const override;
  std::vector<std::string> list(const std::string& folder) const override;
  std::string description() const override;

 private:
  std::filesystem::path root_;
  UniqueFd folder_;
};

// "a/b" + "../c/x" -> "a/c/x". Throws Error(usage, path, ...) where the result leaves the tree or the path is absolute
// or empty.
std::string join_beneath(const std::string& folder, const std::string& path);
// The folder part: "a/b/x.toml" -> "a/b", "x.toml" -> "".
std::string parent_of(const std::string& path);
// Shell-like: '*' and '?' within one path segment, "**" over any number of segments.
bool glob_match(const std::string& pattern, const std::string& path);

}  // namespace kgate
