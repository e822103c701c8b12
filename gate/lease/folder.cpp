#include "gate/lease/folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/error.h"
#include "gate/lease/user_name.h"

namespace kgate::lease {
namespace {

using Clock = std::chrono::steady_clock;
constexpr mode_t kMode = 01777;

// File systems whose locks are not the kernel's own. NFSv4 would carry them, but a server takes a client's locks away
// after a minute and a half without a word from it, while its process goes on: two holders. A GPU belongs to one host,
// so nothing is lost by refusing them all.
struct Network {
  std::uint32_t type;
  const char* name;
};
constexpr std::array<Network, 14> kNetworks{{{NFS_SUPER_MAGIC, "NFS"},
                                             {SMB_SUPER_MAGIC, "SMB"},
                                             {0xFF534D42, "SMB"},
                                             {0xFE534D42, "SMB"},
                                             {AFS_SUPER_MAGIC, "AFS"},
                                             {CODA_SUPER_MAGIC, "Coda"},
                                             {0x00C36400, "CephFS"},
                                             {0x0BD00BD0, "Lustre"},
                                             {0x47504653, "GPFS"},
                                             {0x19830326, "BeeGFS"},
                                             {0x7461636F, "OCFS2"},
                                             {0x01161970, "GFS2"},
                                             {0x01021997, "9p"},
                                             {0x65735546, "FUSE"}}};

Error unusable(const std::filesystem::path& path, const std::string& fact, const std::string& remedy) {
  return {ErrorKind::environment, path.string(), "the folder of leases " + fact, remedy};
}

constexpr const char* kOther = "name another folder with --lease-dir or [lease] folder in the policy";

std::string made_by_root(const std::filesystem::path& path) {
  return fmt::format("let root make it, \"install -d -m 1777 {}\", or {}", path.string(), kOther);
}

std::uint32_t type_of(int fd) {
  struct statfs status {};
  return ::fstatfs(fd, &status) == 0 ? static_cast<std::uint32_t>(status.f_type) : 0;
}

void make(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), 0777) != 0) {
    if (errno == EEXIST) return;
    throw unusable(path, fmt::format("cannot be made: {}", std::strerror(errno)), made_by_root(path));
  }
  // mkdir's mode goes through the umask. Without following a link that somebody put in its place meanwhile.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd || ::fchmod(fd.get(), kMode) != 0)
    throw unusable(path, fmt::format("cannot be opened to all: {}", std::strerror(errno)), made_by_root(path));
}

UniqueFd open_folder(const std::filesystem::path& path, bool create) {
  const auto attempt = [&] { return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)); };
  UniqueFd fd = attempt();
  if (!fd && errno == ENOENT && create) {
    make(path);
    fd = attempt();
  }
  if (fd) return fd;
  const int why = errno;
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode))
    throw unusable(path, "is a symbolic link, which is not followed", "name the folder that it points to");
  if (why == ENOTDIR) throw unusable(path, "is no folder", "remove it, or " + std::string(kOther));
  throw unusable(path, fmt::format("cannot be opened: {}", std::strerror(why)), made_by_root(path));
}

}  // namespace

Folder Folder::open(const std::filesystem::path& path, const FolderOptions& options) {
  if (path.empty()) throw unusable(path, "has no name", kOther);
  Folder folder;
  folder.path_ = std::filesystem::absolute(path);
  folder.fd_ = open_folder(folder.path_, options.create);
  const std::uint32_t type = options.file_system ? options.file_system(folder.fd()) : type_of(folder.fd());
  const auto network =
      std::find_if(kNetworks.begin(), kNetworks.end(), [&](const Network& one) { return one.type == type; });
  if (network != kNetworks.end()) {
    throw unusable(
        folder.path_, fmt::format("lies on {}, where a lock can be lost while its process goes on", network->name),
        fmt::format("a GPU is one host's: take a folder on its own disk or in its memory, such as {}", kDefaultFolder));
  }
  struct stat status {};
  if (::fstat(folder.fd(), &status) != 0) throw system_error(folder.path_.string(), "cannot be looked at", errno);
  if ((status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0) {
    throw unusable(folder.path_, "lets anybody remove the places of others in the queue",
                   fmt::format("set the sticky bit, \"chmod +t {}\"", folder.path_.string()));
  }
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
    folder.remarks_.push_back(fmt::format("{} belongs to {}, who could remove the places of others in the queue; {}",
                                          folder.path_.string(), user_name(status.st_uid),
                                          "where that matters, let root own it"));
  }
  if (type == OVERLAYFS_SUPER_MAGIC) {
    folder.remarks_.push_back(
        fmt::format("{} lies on a container's own file system: other containers do not see it; mount one folder of the "
                    "host there in all of them",
                    folder.path_.string()));
  }
  return folder;
}

FolderLock::FolderLock(const Folder& folder, const Interrupt* interrupt, std::chrono::milliseconds limit)
    : fd_(folder.fd()) {
  const auto deadline = Clock::now() + limit;
  for (int tries = 0;; ++tries) {
    if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
    if (errno != EWOULDBLOCK && errno != EINTR)
      throw unusable(folder.path(), fmt::format("cannot be locked: {}", std::strerror(errno)), kOther);
    if (Clock::now() >= deadline) {
      throw unusable(folder.path(),
                     fmt::format("has been locked for {} s by another process, which needs a millisecond",
                                 std::chrono::duration_cast<std::chrono::seconds>(limit).count()),
                     fmt::format("find the process with \"fuser -v {}\"; it may be stopped", folder.path().string()));
    }
    sleep_for(std::chrono::milliseconds(tries < 20 ? 1 : 5), interrupt);
  }
}

FolderLock::~FolderLock() {
  ::flock(fd_, LOCK_UN);
}

void sleep_for(std::chrono::milliseconds time, const Interrupt* interrupt) {
  if (interrupt == nullptr) {
    std::this_thread::sleep_for(time);
    return;
  }
  pollfd watched{interrupt->fd(), POLLIN, 0};
  ::poll(&watched, 1, static_cast<int>(time.count()));
  interrupt->check();
}

}  // namespace kgate::lease
