#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"

namespace kgate::trust {

struct OpenRepository;

// What git holds in place of a file that Git LFS keeps: the file's digest and size.
struct LfsPointer {
  std::string sha256;  // 64 hex digits
  std::uint64_t size = 0;
};

// Nothing where the content is no pointer.
std::optional<LfsPointer> lfs_pointer(ByteView content);

// The file that a pointer stands for, from this clone's own store, its digest checked; nothing where the store does not
// have it. Throws Error(usage, path, fact, remedy) for more than max_bytes and for a store that holds something else.
std::optional<Bytes> read_lfs_object(const OpenRepository& repository, const LfsPointer& pointer,
                                     const std::string& path, std::uint64_t max_bytes);

}  // namespace kgate::trust
