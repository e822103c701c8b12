#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"

// Real repositories, made by the git program, below a folder of their own. Neither the user's nor the system's git
// configuration is read.
class GitFixture {
 public:
  GitFixture();

  // Runs git in `folder` (relative to the fixture's) and returns what it printed, without the final newline; the test
  // fails with it.
  std::string git(const std::string& folder, const std::vector<std::string>& arguments) const;
  void write(const std::string& path, const std::string& content) const;
  // Writes a file, commits everything in `folder` and returns the commit.
  std::string commit(const std::string& folder, const std::string& file, const std::string& content) const;
  // A new repository with the branch "main" and one commit, which is returned.
  std::string init(const std::string& folder) const;
  std::string path(const std::string& relative) const { return (root_ / relative).string(); }

 private:
  kgate::TemporaryFolder temporary_;
  std::filesystem::path root_;  // links resolved
};
