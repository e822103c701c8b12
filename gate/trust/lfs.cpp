#include "gate/trust/lfs.h"

#include <charconv>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_tree.h"
#include "gate/trust/libgit2.h"

// Git LFS keeps large files beside git: a commit has a pointer, three lines of text with a SHA-256, and the file lies
// in a store below .git. A commit pins the pointer and the pointer pins the file, so reading the store is reading the
// commit, whoever filled it. Rejected: to take the working tree's file for the base's (the change would supply the data
// that judges it), and to run git-lfs, which goes to the network by the change's own .lfsconfig.
namespace kgate::trust {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestPointer = 1024;
constexpr std::string_view kVersion = "version https://git-lfs.github.com/spec/v1\n";
constexpr std::string_view kDigest = "oid sha256:";
constexpr std::string_view kSize = "size ";
constexpr std::size_t kDigits = 64;

// The rest of the line that begins with `word`; lines between (extensions) are passed over.
std::optional<std::string_view> value_of(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.substr(0, word.size()) == word) return line.substr(word.size());
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return std::nullopt;
}

fs::path store_of(const OpenRepository& open) {
  const fs::path common = git_repository_commondir(open.repository.get());
  const std::string elsewhere = setting_of(open.repository.get(), "lfs.storage");
  return common / (elsewhere.empty() ? "lfs" : elsewhere) / "objects";
}

}  // namespace

std::optional<LfsPointer> lfs_pointer(ByteView content) {
  const std::string_view text = text_of(content.first(std::min(content.size(), kLargestPointer)));
  if (content.size() > kLargestPointer || text.substr(0, kVersion.size()) != kVersion) return std::nullopt;
  const auto digest = value_of(text, kDigest), size = value_of(text, kSize);
  if (!digest || !size || digest->size() != kDigits ||
      digest->find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return std::nullopt;
  }
  LfsPointer pointer{std::string(*digest), 0};
  const auto [end, failed] = std::from_chars(size->data(), size->data() + size->size(), pointer.size);
  if (failed != std::errc{} || end != size->data() + size->size()) return std::nullopt;
  return pointer;
}

std::optional<Bytes> read_lfs_object(const OpenRepository& open, const LfsPointer& pointer, const std::string& path,
                                     std::uint64_t max_bytes) {
  if (pointer.size > max_bytes) {
    throw Error(ErrorKind::usage, path, fmt::format("has {} bytes; at most {} are allowed", pointer.size, max_bytes));
  }
  const fs::path store = store_of(open);
  std::error_code failed;
  if (!fs::is_directory(store, failed)) return std::nullopt;
  const std::string& digest = pointer.sha256;
  const std::string place = fmt::format("{}/{}/{}", digest.substr(0, 2), digest.substr(2, 2), digest);
  auto content = FolderTree(store).read(place, max_bytes);
  if (content && sha256_hex(*content) != digest) {
    throw Error(
        ErrorKind::usage, path,
        fmt::format("what Git LFS stored for it, {}, has not the digest that git names", (store / place).string()),
        fmt::format("git -C {} lfs fsck", open.root));
  }
  return content;
}

}  // namespace kgate::trust
