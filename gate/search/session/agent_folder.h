#pragma once

#include <filesystem>

#include "base/file.h"
#include "base/file_tree.h"

namespace kgate::search {

// Where the agent of [search] command works: a folder of its own that holds the .kgate of the policy's commit and
// nothing else. A relative path in the command is beneath it, so a change cannot put its own program in the place of
// the one that the policy names.
class AgentFolder {
 public:
  // Throws Error where it cannot be written.
  explicit AgentFolder(const FileTree& base);
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_{"kgate-agent"};
};

}  // namespace kgate::search
