#include "gate/trust/lfs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string>
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
constexpr std::array<std::string_view, 3> kNames{"git-lfs", "hawser", "git-media"};

// Takes `word` off the front of a text.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

fs::path store_of(const OpenRepository& open) {
  const fs::path common = git_repository_commondir(open.repository.get());
  const std::string elsewhere = setting_of(open.repository.get(), "lfs.storage");
  return common / (elsewhere.empty() ? "lfs" : elsewhere) / "objects";
}

}  // namespace

// Lines of extensions (ext-0-NAME) are refused with everything else: such a file is what a program makes of the stored
// one.
std::optional<LfsPointer> lfs_pointer(ByteView content) {
  std::string_view text = text_of(content);
  if (content.size() > kLargestPointer || !take(text, kVersion) || !take(text, kDigest)) return std::nullopt;
  LfsPointer pointer{std::string(text.substr(0, kDigits)), 0};
  if (pointer.sha256.size() != kDigits || pointer.sha256.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return std::nullopt;
  }
  text.remove_prefix(kDigits);
  if (!take(text, "\n") || !take(text, kSize)) return std::nullopt;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), pointer.size);
  if (failed != std::errc{} || text != std::to_string(pointer.size) + "\n") return std::nullopt;
  return pointer;
}

std::optional<LfsPointer> lfs_pointer_at(const std::string& path, ByteView content, const ReadAttributes& read) {
  // What git-lfs looks for before it reads any further: its name, or one of its earlier names.
  const std::string_view text = text_of(content);
  const bool may_be = content.size() <= kLargestPointer &&
                      std::any_of(kNames.begin(), kNames.end(),
                                  [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
  if (!may_be) return std::nullopt;
  const Attributes attributes = attributes_of(path, read);
  if (const auto filter = attributes.find("filter"); filter == attributes.end() || filter->second != "lfs") {
    return std::nullopt;
  }
  if (auto pointer = lfs_pointer(content)) return pointer;
  throw Error(ErrorKind::untrusted, path,
              "has the attribute filter=lfs and reads almost like a pointer of Git LFS; what a checkout makes of it "
              "depends on the version of git-lfs",
              "let git-lfs write it: git add --renormalize " + path);
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
  if (content && (content->size() != pointer.size || sha256_hex(*content) != digest)) {
    throw Error(
        ErrorKind::usage, path,
        fmt::format("what Git LFS stored for it, {}, has not the digest that git names", (store / place).string()),
        fmt::format("git -C {} lfs fsck", open.root));
  }
  return content;
}

}  // namespace kgate::trust
