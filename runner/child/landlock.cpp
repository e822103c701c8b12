#include "runner/child/landlock.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Raw system calls: glibc has no wrappers, and distributions' headers are older than the kernels that they run on. What
// the oldest header (Linux 5.15) lacks is defined here; the numbers are the kernel's ABI.
//
// | ABI | Linux | adds                                     | on older ones                                        |
// |   1 |  5.13 | files and folders                        | nothing: the level is "seccomp"                      |
// |   2 |  5.19 | moving between folders                   | always refused                                       |
// |   3 |   6.2 | truncation                               | truncate() is refused by the seccomp filter          |
// |   4 |   6.7 | TCP                                      | socket() is refused by the seccomp filter            |
// |   5 |  6.10 | ioctl on devices                         | a device that cannot be opened has no ioctl either   |
// |   6 |  6.12 | abstract sockets, signals                | connect() and kill() are, by the seccomp filter      |
// |   7 |  6.15 | a log of what is denied                  |                                                      |
//
// So a kernel with any ABI gives the level "landlock"; a newer one is a second lock on the same door.
namespace kgate::runner::landlock {
namespace {

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

constexpr std::uint64_t kRefer = 1u << 13, kTruncate = 1u << 14, kIoctlDevice = 1u << 15;
constexpr std::uint64_t kBindTcp = 1u << 0, kConnectTcp = 1u << 1;
constexpr std::uint64_t kScopeAbstractSocket = 1u << 0, kScopeSignal = 1u << 1;
constexpr std::uint32_t kNewestKnown = 7;

// As the newest kernel knows it; an older one is told a shorter length.
struct RulesetAttributes {
  std::uint64_t files = 0, network = 0, scoped = 0;
};

constexpr std::uint64_t kFilesAbi1 =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
    LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM;
// What can be granted for a file; the rest is a folder's.
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                   LANDLOCK_ACCESS_FS_READ_FILE | kTruncate | kIoctlDevice;

std::uint64_t handled_files(std::uint32_t abi) {
  std::uint64_t files = kFilesAbi1;
  if (abi >= 2) files |= kRefer;
  if (abi >= 3) files |= kTruncate;
  if (abi >= 5) files |= kIoctlDevice;
  return files;
}

std::size_t attribute_size(std::uint32_t abi) {
  return abi >= 6 ? sizeof(RulesetAttributes) : abi >= 4 ? 2 * sizeof(std::uint64_t) : sizeof(std::uint64_t);
}

std::uint64_t rights_of(unsigned access) {
  std::uint64_t rights = 0;
  if (access & kRead) rights |= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  if (access & kWrite) rights |= LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
  if (access & kExecute) rights |= LANDLOCK_ACCESS_FS_EXECUTE;
  if (access & kCreate) {
    rights |= LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
              LANDLOCK_ACCESS_FS_REMOVE_DIR;
  }
  if (access & kControl) rights |= kIoctlDevice;
  return rights;
}

std::string why_absent(int error) {
  switch (error) {
    case ENOSYS:
      return "this kernel has no Landlock (Linux 5.13 and newer can have it)";
    case EOPNOTSUPP:
      return "Landlock is not enabled in this kernel (boot it with landlock in lsm=)";
    case EPERM:
      return "the container's own filter forbids Landlock";
    default:
      return fmt::format("Landlock cannot be used: {}", std::strerror(error));
  }
}

bool is_folder(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

Restriction restrict_self(const std::vector<PathRule>& rules) {
  Restriction result;
  const auto failed = [&](const char* what) {
    result.why_not = fmt::format("Landlock cannot be put in force: {}: {}", what, std::strerror(errno));
    return std::move(result);
  };
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) {
    result.why_not = why_absent(version < 0 ? errno : ENOSYS);
    return result;
  }
  const auto abi = std::min(static_cast<std::uint32_t>(version), kNewestKnown);
  RulesetAttributes attributes;
  attributes.files = handled_files(abi);
  if (abi >= 4) attributes.network = kBindTcp | kConnectTcp;
  if (abi >= 6) attributes.scoped = kScopeAbstractSocket | kScopeSignal;
  const UniqueFd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, attribute_size(abi), 0)));
  if (!ruleset) return failed("no set of rules");
  for (const PathRule& rule : rules) {
    UniqueFd place(::open(rule.path.c_str(), O_PATH | O_CLOEXEC));
    if (!place) continue;  // what is not there, or cannot be reached, cannot be opened later either
    landlock_path_beneath_attr allowed{};
    allowed.parent_fd = place.get();
    allowed.allowed_access = rights_of(rule.access) & attributes.files & (is_folder(place.get()) ? ~0ull : kOfFiles);
    if (allowed.allowed_access == 0) continue;  // only what this ABI does not restrict
    if (::syscall(SYS_landlock_add_rule, ruleset.get(), LANDLOCK_RULE_PATH_BENEATH, &allowed, 0) != 0)
      return failed(rule.path.c_str());
    if (rule.path.rfind("/proc/self", 0) == 0) result.pinned.push_back(std::move(place));
  }
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) return failed("the process");
  result.abi = static_cast<std::uint32_t>(version);
  return result;
}

}  // namespace kgate::runner::landlock
