#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "base/unique_fd.h"

namespace kgate::lease {

// The same for every user of a host, so that nobody waits in another queue. Gone after a restart, and so are all
// leases.
constexpr const char* kDefaultFolder = "/var/lock/kgate";

struct FolderOptions {
  bool create = true;
  // The kind of file system (statfs's f_type) that an opened folder lies on; a test has its own.
  std::function<std::uint32_t(int)> file_system{};
};

// The folder of the queue, shared by all users, containers and jobs of one host.
class Folder {
 public:
  // Made where it is missing (mode 1777). Throws Error(environment), with the remedy, where it is missing and must not
  // or cannot be made, is a link or no folder, lies on a file system whose locks do not hold between all processes of
  // this host, or lets anybody remove the files of others (writable for all without the sticky bit).
  static Folder open(const std::filesystem::path& path, const FolderOptions& options = {});

  int fd() const { return fd_.get(); }
  const std::filesystem::path& path() const { return path_; }
  // What is allowed and should be known: others could empty it; only this container sees it.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  UniqueFd fd_;
  std::filesystem::path path_;
  std::vector<std::string> remarks_;
};

// Every look at the queue that may change it is made under this lock (flock on the folder itself: nothing to make, to
// permit or to remove). Held for well under a millisecond.
class FolderLock {
 public:
  // Throws Error(environment) where another process has it for `limit`, Error(interrupted).
  FolderLock(const Folder& folder, const Interrupt* interrupt,
             std::chrono::milliseconds limit = std::chrono::seconds(10));
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_;
};

// Sleeps, or throws Error(interrupted) as soon as a signal arrives.
void sleep_for(std::chrono::milliseconds time, const Interrupt* interrupt);

}  // namespace kgate::lease
