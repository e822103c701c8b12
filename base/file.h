#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/bytes.h"

namespace kgate {

// The whole file. Throws Error(usage) where it is missing, no regular file, unreadable or larger than max_bytes.
Bytes read_file(const std::filesystem::path& path, std::uint64_t max_bytes);

// The file is there whole, with its new content, or as it was before: written beside it, synced, renamed. Makes the
// parent folders. Throws Error (a full disk is `environment`) and leaves nothing half-written.
void write_file_atomic(const std::filesystem::path& path, ByteView content);
inline void write_file_atomic(const std::filesystem::path& path, std::string_view content) {
  write_file_atomic(path, view_of(content));
}

// A new file with this mode (0600) from its first byte on. Throws Error(usage) where anything of that name is there;
// leaves nothing where it cannot be written whole.
void create_file(const std::filesystem::path& path, std::string_view content, unsigned mode);

// A private folder (0700) that is removed, with all it holds, when the object goes.
class TemporaryFolder {
 public:
  // Below `parent`, which is the system's folder for temporary files when empty.
  explicit TemporaryFolder(const std::string& prefix, const std::filesystem::path& parent = {});
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kgate
