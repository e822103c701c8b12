#include "base/memory_tree.h"

#include <utility>

#include "base/error.h"

namespace kgate {

MemoryTree::MemoryTree(std::map<std::string, Bytes> files, std::string description)
    : files_(std::move(files)), description_(std::move(description)) {}

std::optional<Bytes> MemoryTree::read(const std::string& path, std::uint64_t max_bytes) const {
  const auto found = files_.find(join_beneath("", path));
  if (found == files_.end()) return std::nullopt;
  if (found->second.size() > max_bytes) {
    throw Error(ErrorKind::usage, path, "is larger than " + std::to_string(max_bytes) + " bytes");
  }
  return found->second;
}

std::vector<std::string> MemoryTree::list(const std::string& folder) const {
  std::vector<std::string> paths;
  for (const auto& [path, content] : files_) {
    if (folder.empty() || path.starts_with(folder + "/")) paths.push_back(path);
  }
  return paths;
}

}  // namespace kgate
