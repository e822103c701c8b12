#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/bytes.h"

namespace kgate::trust {

// What the .gitattributes files of a tree say about one path: "lfs" for filter=lfs, "true" for a bare name, "false" for
// "-name"; what is unspecified is left out. `read` gives such a file's content by its path in the tree, or nothing.
// Only what lies in the tree counts, as in every other clone of it: not what this machine's configuration adds. Throws
// Error(untrusted, file, fact, remedy) where git's own versions differ about what a file means.
using Attributes = std::map<std::string, std::string>;
using ReadAttributes = std::function<std::optional<Bytes>(const std::string& file)>;
Attributes attributes_of(const std::string& path, const ReadAttributes& read);

inline constexpr std::uint64_t kMaxAttributes = 1u << 20;

}  // namespace kgate::trust
