#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/base/in_child.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"

using namespace kgate;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kPlenty = 1 << 20;

std::string text_in(const fs::path& path) {
  return std::string(text_of(read_file(path, kPlenty)));
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a file is read whole, up to the size that is allowed") {
  const TemporaryFolder folder("kgate-test");
  const fs::path path = folder.path() / "a.txt";
  write_file_atomic(path, "hello");
  CHECK(text_in(path) == "hello");
  CHECK(read_file(path, 5).size() == 5);
  CHECK(error_of([&] { read_file(path, 4); }) == "usage: " + path.string() + ": has 5 bytes; at most 4 are allowed");
  write_file_atomic(path, "");
  CHECK(read_file(path, 0).empty());
}

TEST_CASE("a file whose size is not known beforehand is read whole, and no further than allowed") {
  CHECK(text_in("/proc/self/status").find("Threads:") != std::string::npos);
  CHECK(error_of([] { read_file("/proc/self/status", 10); }).find("or more; at most 10 are allowed") !=
        std::string::npos);
}

TEST_CASE("what is no readable regular file is refused, and nothing hangs") {
  const TemporaryFolder folder("kgate-test");
  const std::string base = folder.path().string();
  REQUIRE(::mkfifo((base + "/fifo").c_str(), 0600) == 0);
  CHECK(error_of([&] { read_file(base + "/none", kPlenty); }) ==
        "usage: " + base + "/none: cannot be opened: No such file or directory");
  CHECK(error_of([&] { read_file(base, kPlenty); }) == "usage: " + base + ": is no regular file");
  CHECK(error_of([&] { read_file(base + "/fifo", kPlenty); }) == "usage: " + base + "/fifo: is no regular file");
  CHECK(error_of([&] { read_file("/dev/zero", kPlenty); }) == "usage: /dev/zero: is no regular file");
}

TEST_CASE("a file is written with its folders, and replaced whole") {
  const TemporaryFolder folder("kgate-test");
  const fs::path path = folder.path() / "a" / "b" / "c.txt";
  write_file_atomic(path, "first");
  write_file_atomic(path, "second, longer");
  CHECK(text_in(path) == "second, longer");
  CHECK(files_in(path.parent_path()) == 1);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK((status.st_mode & 0777) == (0666 & ~mask));
}

TEST_CASE("a write replaces neither links nor devices nor folders") {
  const TemporaryFolder folder("kgate-test");
  const std::string base = folder.path().string();
  write_file_atomic(base + "/secret", "old");
  fs::create_symlink("secret", base + "/link");
  fs::create_directory(base + "/folder");
  CHECK(error_of([&] { write_file_atomic(base + "/link", "new"); }) ==
        "usage: " + base + "/link: is a symbolic link; remove it, or choose another path");
  CHECK(error_of([&] { write_file_atomic(base + "/folder", "new"); }) ==
        "usage: " + base + "/folder: is there and is no regular file; remove it, or choose another path");
  CHECK(error_of([&] { write_file_atomic("/dev/null", "new"); }) ==
        "usage: /dev/null: is there and is no regular file; remove it, or choose another path");
  CHECK(error_of([&] { write_file_atomic(base + "/secret/x", "new"); }) ==
        "usage: " + base + "/secret: cannot be made a folder: Not a directory");
  CHECK(text_in(base + "/secret") == "old");
  CHECK(files_in(folder.path()) == 3);
}

TEST_CASE("on a full disk a write fails as the machine's fault, leaves the old file and nothing else") {
  const TemporaryFolder folder("kgate-test");
  const std::string base = folder.path().string();
  const std::string seen = in_child([&]() -> std::string {
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return "no namespace";
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("kgate", base.c_str(), "tmpfs", 0, "size=64k") != 0) return "no tmpfs";
    write_file_atomic(base + "/a.txt", "old");
    const std::string error = error_of([&] { write_file_atomic(base + "/a.txt", std::string(kPlenty, 'x')); });
    return error + "|" + text_in(base + "/a.txt") + "|" + std::to_string(files_in(base));
  });
  if (seen == "no namespace" || seen == "no tmpfs") KGATE_SKIP("no small file system can be mounted here");
  CHECK(seen == "environment: " + base +
                    "/a.txt: cannot be written: No space left on device; free some space on the disk that "
                    "it lies on|old|1");
}

TEST_CASE("a temporary folder is private and goes with all it holds, even what was made read-only") {
  fs::path path;
  {
    TemporaryFolder folder("kgate-test");
    const TemporaryFolder moved = std::move(folder);
    path = moved.path();
    CHECK(fs::status(path).permissions() == fs::perms::owner_all);
    fs::create_directories(path / "a" / "b");
    write_file_atomic(path / "a" / "b" / "x", "1");
    fs::create_symlink("/etc", path / "a" / "link");
    fs::permissions(path / "a" / "b", fs::perms::owner_read | fs::perms::owner_exec);
    fs::permissions(path / "a", fs::perms::owner_read | fs::perms::owner_exec);
  }
  CHECK_FALSE(fs::exists(path));
  CHECK(fs::exists("/etc/passwd"));
}

TEST_CASE("a temporary folder is made below the folder that is asked for") {
  const TemporaryFolder parent("kgate-test");
  const TemporaryFolder child("job", parent.path() / "cache");
  CHECK(child.path().parent_path() == parent.path() / "cache");
  CHECK(child.path().filename().string().starts_with("job."));
}

TEST_CASE("a new file has its mode from the start, and is made over nothing") {
  const TemporaryFolder folder("kgate-test");
  const fs::path path = folder.path() / "a.key";
  create_file(path, "secret", 0600);
  CHECK(text_in(path) == "secret");
  CHECK((fs::status(path).permissions() & fs::perms::mask) == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(error_of([&] { create_file(path, "other", 0600); }) ==
        "usage: " + path.string() + ": is there already; it is never replaced: choose another name");
  CHECK(text_in(path) == "secret");
  fs::create_symlink(folder.path() / "elsewhere", folder.path() / "link");
  CHECK(error_of([&] {
          create_file(folder.path() / "link", "secret", 0600);
        }).ends_with("link: is there already; it is never replaced: choose another name"));
  CHECK(files_in(folder.path()) == 2);
  CHECK(error_of([&] { create_file(folder.path() / "no" / "a", "secret", 0600); }) ==
        "usage: " + (folder.path() / "no" / "a").string() + ": cannot be created: No such file or directory");
}
