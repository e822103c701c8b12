#pragma once

#include <map>
#include <string>

#include "base/file_tree.h"

namespace kgate {

// Files that were read once and are used from memory: what was checked is what is used, whatever happens on disk since.
class MemoryTree : public FileTree {
 public:
  MemoryTree(std::map<std::string, Bytes> files, std::string description);
  std::optional<Bytes> read(const std::string& path, std::uint64_t max_bytes) const override;
  std::vector<std::string> list(const std::string& folder) const override;
  std::string description() const override { return description_; }

 private:
  std::map<std::string, Bytes> files_;
  std::string description_;
};

}  // namespace kgate
