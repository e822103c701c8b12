#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "gate/trust/attributes.h"

namespace kgate::trust {

struct OpenRepository;

// What git holds in place of a file that Git LFS keeps: the file's digest and size.
struct LfsPointer {
  std::string sha256;  // 64 hex digits
  std::uint64_t size = 0;
};

// Nothing where the content is no pointer: exactly the three lines of the specification, and nothing else.
std::optional<LfsPointer> lfs_pointer(ByteView content);

// The same for a file of a tree, whose attributes decide: a text that reads like a pointer is one where they say
// filter=lfs, and plain text elsewhere, as for git. Throws Error(untrusted, path, fact, remedy) where git-lfs may take
// for a pointer what is none by its specification.
std::optional<LfsPointer> lfs_pointer_at(const std::string& path, ByteView content, const ReadAttributes& read);

// The file that a pointer stands for, from this clone's own store, its digest checked; nothing where the store does not
// have it. Throws Error(usage, path, fact, remedy) for more than max_bytes and for a store that holds something else.
std::optional<Bytes> read_lfs_object(const OpenRepository& repository, const LfsPointer& pointer,
                                     const std::string& path, std::uint64_t max_bytes);

}  // namespace kgate::trust
