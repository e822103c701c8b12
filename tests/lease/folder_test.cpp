#include "gate/lease/folder.h"

#include <fstream>

#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "gate/lease/lease.h"
#include "tests/base/in_child.h"
#include "tests/lease/lease_fixture.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"

using namespace kgate;
using namespace kgate::lease;

namespace {

std::string opened(const std::filesystem::path& path, bool create = true) {
  FolderOptions options;
  options.create = create;
  return error_of([&] { Folder::open(path, options); });
}

bool put(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

// Gives this process mounts of its own, as an ordinary user too.
bool can_mount() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    if (!put("/proc/self/setgroups", "deny") || !put("/proc/self/uid_map", "0 " + std::to_string(user) + " 1") ||
        !put("/proc/self/gid_map", "0 " + std::to_string(group) + " 1"))
      return false;
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

}  // namespace

TEST_CASE("the folder is made for all users, and nobody can remove the files of others there") {
  const LeaseFixture fixture;
  const mode_t before = ::umask(0077);
  Folder::open(fixture.folder());
  ::umask(before);
  struct stat status {};
  REQUIRE(::stat(fixture.folder().c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 01777);
}

TEST_CASE("a folder on a network's file system is refused with a remedy") {
  const LeaseFixture fixture;
  for (const auto& [type, name] : {std::pair<std::uint32_t, std::string>{0x6969, "NFS"},
                                   {0xFF534D42, "SMB"},
                                   {0x65735546, "FUSE"},
                                   {0x0BD00BD0, "Lustre"}}) {
    FolderOptions options;
    options.file_system = [number = type](int) { return number; };
    CHECK(
        error_of([&] { Folder::open(fixture.folder(), options); }) ==
        "environment: " + fixture.folder().string() + ": the folder of leases lies on " + name +
            ", where a lock can be lost while its process goes on; a GPU is one host's: take a folder on its own disk "
            "or in its memory, such as /var/lock/kgate");
  }
}

TEST_CASE("a folder on a container's own file system is allowed, and it is said that others do not see it") {
  const LeaseFixture fixture;
  FolderOptions options;
  options.file_system = [](int) { return std::uint32_t{0x794c7630}; };
  const Folder folder = Folder::open(fixture.folder(), options);
  REQUIRE(folder.remarks().size() == 1);
  CHECK(
      folder.remarks()[0] ==
      fixture.folder().string() +
          " lies on a container's own file system: other containers do not see it; mount one folder of the host there "
          "in all of them");
}

TEST_CASE("a folder in which anybody can remove the files of others is refused") {
  const LeaseFixture fixture;
  std::filesystem::create_directory(fixture.folder());
  REQUIRE(::chmod(fixture.folder().c_str(), 0777) == 0);
  const std::string path = fixture.folder().string();
  CHECK(opened(path) == "environment: " + path +
                            ": the folder of leases lets anybody remove the places of others in the queue; set the "
                            "sticky bit, \"chmod +t " +
                            path + "\"");
}

TEST_CASE("a link or a file in the place of the folder is refused, and not followed") {
  const LeaseFixture fixture;
  const std::string path = fixture.folder().string();
  std::filesystem::create_directory(path + ".real");
  std::filesystem::create_directory_symlink(path + ".real", path);
  CHECK(opened(path) == "environment: " + path +
                            ": the folder of leases is a symbolic link, which is not followed; name the folder that it "
                            "points to");
  std::filesystem::remove(path);
  write_file_atomic(path, "");
  CHECK(opened(path) ==
        "environment: " + path +
            ": the folder of leases is no folder; remove it, or name another folder with --lease-dir or "
            "[lease] folder in the policy");
}

TEST_CASE("a folder that cannot be made is told with what root has to do") {
  const LeaseFixture fixture;
  const std::string path = (fixture.folder() / "deeper").string();
  CHECK(opened(path) == "environment: " + path +
                            ": the folder of leases cannot be made: No such file or directory; let root make it, "
                            "\"install -d -m 1777 " +
                            path + "\", or name another folder with --lease-dir or [lease] folder in the policy");
  CHECK(reads(opened(path, false), "environment: " + path + ": the folder of leases cannot be opened: ", "policy"));
}

TEST_CASE("a folder that another process has locked for too long is told with how to find that one") {
  const LeaseFixture fixture;
  const Folder folder = Folder::open(fixture.folder()), again = Folder::open(fixture.folder());
  const FolderLock lock(folder, nullptr);
  const std::string path = fixture.folder().string();
  CHECK(error_of([&] { const FolderLock second(again, nullptr, std::chrono::milliseconds(20)); }) ==
        "environment: " + path +
            ": the folder of leases has been locked for 0 s by another process, which needs a millisecond; find the "
            "process with \"fuser -v " +
            path + "\"; it may be stopped");
}

TEST_CASE("a signal ends the wait for the folder's lock") {
  const LeaseFixture fixture;
  CHECK(in_child([&] {
          const Interrupt interrupt;
          const Folder folder = Folder::open(fixture.folder()), again = Folder::open(fixture.folder());
          const FolderLock lock(folder, nullptr);
          ::kill(::getpid(), SIGTERM);
          return error_of([&] { const FolderLock second(again, &interrupt); });
        }) == "interrupted: ended by SIGTERM");
}

TEST_CASE("a folder that may not be written or is full is told with a remedy, and no place is taken there") {
  const LeaseFixture fixture;
  const std::string path = fixture.folder().string();
  Folder::open(path);
  // Its own small disk, on which there is room for no file at all; then read-only.
  const std::string seen = in_child([&]() -> std::string {
    if (!can_mount()) return "no namespace";
    if (::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=64k,nr_inodes=1,mode=1777") != 0) return "no namespace";
    const std::string full = error_of([&] { acquire(fixture.request()); });
    if (::mount("none", path.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) return "no namespace";
    return full + "|" + error_of([&] { acquire(fixture.request()); }) + "|" + std::to_string(fixture.files().size());
  });
  if (seen == "no namespace") KGATE_SKIP("this user may not mount a small disk");
  CHECK(seen ==
        "environment: " + path +
            ": no place in the queue can be taken: No space left on device; free some space on the disk that it "
            "lies on|environment: " +
            path +
            ": no place in the queue can be taken: Read-only file system; let its owner open it to all who use "
            "the GPU, \"chmod 1777 " +
            path + "\", or name another folder with --lease-dir or [lease] folder in the policy|0");
}

TEST_CASE("a disk that is full for the content of a ticket too leaves no ticket behind") {
  const LeaseFixture fixture;
  const std::string path = fixture.folder().string();
  Folder::open(path);
  const std::string seen = in_child([&]() -> std::string {
    if (!can_mount()) return "no namespace";
    if (::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=4k,mode=1777") != 0) return "no namespace";
    write_file_atomic(path + "/other", std::string(4096, 'x'));
    return error_of([&] { acquire(fixture.request()); }) + "|" + std::to_string(fixture.files().size());
  });
  if (seen == "no namespace") KGATE_SKIP("this user may not mount a small disk");
  CHECK(seen ==
        "environment: " + path +
            ": no place in the queue can be taken: No space left on device; free some space on the disk that it "
            "lies on|1");
}
