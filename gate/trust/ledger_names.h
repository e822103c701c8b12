#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

// Names of things in the ledger: digests, and paths in its tree.
namespace kgate::trust {

// At the top: the newest record's envelope once more, and the last records of all kernels before it, which it attests.
constexpr const char* kNewestFile = "newest.json";
constexpr const char* kHeadsFile = "heads.json";
constexpr const char* kRecordsFolder = "records";
constexpr const char* kObjectsFolder = "objects";

// "sha256:" and 64 lower-case hex digits.
std::string digest_of(ByteView content);
bool is_digest(std::string_view text);

// "000012.json": at least six digits. Only that one form names record 12.
std::string record_file(std::int64_t sequence);
std::optional<std::int64_t> record_number(std::string_view file);
// "records/softmax/000012.json".
std::string record_path(const std::string& kernel, std::int64_t sequence);

// "sha256:abcd..." -> "objects/sha256/ab/cd...".
std::string object_path(const std::string& digest);

}  // namespace kgate::trust
