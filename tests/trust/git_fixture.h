#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/file_tree.h"
#include "base/process.h"

// Real repositories, made by the git program, below a folder of their own. Neither the user's nor the system's git
// configuration is read.
class GitFixture {
 public:
  GitFixture();

  // Runs git in `folder` (relative to the fixture's) and returns what it printed, without the final newline; the test
  // fails with it.
  std::string git(const std::string& folder, const std::vector<std::string>& arguments) const;
  // The same for a line of shell, such as the remedy of a message; in the fixture's folder.
  std::string shell(const std::string& command) const;
  // Whether a line of shell ends well: for what a machine may not have.
  bool can(const std::string& command) const;
  void write(const std::string& path, const std::string& content) const;
  // Writes a file, commits everything in `folder` and returns the commit.
  std::string commit(const std::string& folder, const std::string& file, const std::string& content) const;
  // A new repository with the branch "main" and one commit, which is returned.
  std::string init(const std::string& folder) const;
  // A new repository with kernels/a/k.cu ("a1", then "a2") and kernels/b/k.cu, two commits; the first is returned.
  // Partial clones of it can be made, and any commit of it can be fetched.
  std::string init_kernels(const std::string& folder) const;
  std::string path(const std::string& relative) const { return (root_ / relative).string(); }

 private:
  kgate::CommandResult run(const std::string& folder, std::vector<std::string> command) const;
  kgate::TemporaryFolder temporary_;
  std::filesystem::path root_;  // links resolved
};

// A file's content; "nothing" where the tree has none.
inline std::string content_of(const kgate::FileTree& tree, const std::string& path) {
  const auto bytes = tree.read(path, 1000);
  return bytes ? std::string(kgate::text_of(*bytes)) : "nothing";
}
