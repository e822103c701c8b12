#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "base/file.h"
#include "gate/trust/libgit2.h"

// An object that a commit names and a clone cannot give. git fetches what a partial clone lacks by itself; kgate reads
// objects only, and going to the network in the middle of a read is nothing a gate should do. So it says which of the
// three it is: the remedies have nothing in common, and "object not found" is all that libgit2 says of each.
namespace kgate::trust {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxList = 1u << 20;
constexpr std::string_view kBefore = "remote.", kAfter = ".promisor";

// The remote that a partial clone takes its missing objects from.
std::optional<std::string> promisor(git_repository* repository) {
  Git<git_config> config;
  if (git_repository_config(out(config), repository) != 0) return std::nullopt;
  std::optional<std::string> remote;
  const auto look = [](const git_config_entry* entry, void* found) {
    std::string_view name = entry->name;
    name.remove_prefix(kBefore.size());
    name.remove_suffix(kAfter.size());
    *static_cast<std::optional<std::string>*>(found) = name;
    return 0;
  };
  git_config_foreach_match(config.get(), "^remote\\..*\\.promisor$", look, &remote);
  return remote;
}

bool is_there(git_repository* repository, const git_oid& object) {
  Git<git_odb> database;
  if (git_repository_odb(out(database), repository) != 0) return false;
  return git_odb_exists(database.get(), &object) == 1;
}

}  // namespace

std::vector<fs::path> object_folders(git_repository* repository) {
  const fs::path own = fs::path(git_repository_commondir(repository)) / "objects";
  std::vector<fs::path> folders{own};
  std::error_code failed;
  if (!fs::is_regular_file(own / "info/alternates", failed)) return folders;
  std::istringstream lines{std::string(text_of(read_file(own / "info/alternates", kMaxList)))};
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != '#') folders.push_back((own / line).lexically_normal());
  }
  return folders;
}

Error unreadable(const OpenRepository& open, const git_oid& object, const std::string& subject,
                 const std::string& what) {
  const std::string reason = git_reason(0);
  const std::string damaged =
      fmt::format("the clone is damaged (git -C {} fsck --full says more): clone again", open.root);
  git_repository* repository = open.repository.get();
  if (is_there(repository, object)) {
    return {ErrorKind::usage, subject, fmt::format("{} cannot be read: {}", what, reason), damaged};
  }
  const std::string fact = what + " is not in this clone";
  for (const fs::path& folder : object_folders(repository)) {
    std::error_code failed;
    if (fs::is_directory(folder, failed)) continue;
    return {ErrorKind::usage, subject,
            fmt::format("{}, which borrows objects from {}, and that is not there", fact, folder.string()),
            "bring that folder back (a container needs it too), or clone again without --shared and --reference"};
  }
  if (const auto remote = promisor(repository)) {
    return {ErrorKind::usage, subject, fact + ", which leaves files out (git clone --filter)",
            fmt::format("bring them all: git -C {} fetch --refetch --no-filter {} (git 2.36 or newer); or clone "
                        "without --filter",
                        open.root, *remote)};
  }
  return {ErrorKind::usage, subject, fact, damaged};
}

}  // namespace kgate::trust
