#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/file.h"
#include "base/file_tree.h"
#include "tests/base/in_child.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"

using namespace kgate;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kPlenty = 1 << 20;

// A tree with what an author of a change could put there.
class Planted {
 public:
  Planted() {
    write("kernels/a/kernel.toml", "a");
    write("kernels/a/x.cu", "source");
    write("kernels/kernel.toml", "top");
    write(".kgate/policy.toml", "policy");
    write(".git/config", "no");
    write("kernels/.hidden/x", "no");
    write(".gitignore", "build");
    fs::create_symlink("a/x.cu", root() / "kernels/link.cu");
    fs::create_directory_symlink("a", root() / "kernels/linked");
    fs::create_symlink("/etc/passwd", root() / "passwd");
    ::mkfifo((root() / "fifo").c_str(), 0600);
  }
  fs::path root() const { return folder_.path() / "tree"; }
  FolderTree tree() const { return FolderTree(root()); }
  void write(const std::string& path, std::string_view content) const { write_file_atomic(root() / path, content); }

 private:
  TemporaryFolder folder_{"kgate-test"};
};

std::string text_in(const FileTree& tree, const std::string& path) {
  const auto content = tree.read(path, kPlenty);
  return content ? std::string(text_of(*content)) : "nothing";
}

std::string error_at(const FileTree& tree, const std::string& path) {
  return error_of([&] { static_cast<void>(tree.read(path, kPlenty)); });
}

const std::string kLink = ": is a symbolic link, or lies behind one; put the file itself there";

// What reading answers for each hostile path, one a line.
std::string answers(const FolderTree& tree) {
  std::string all;
  for (const std::string path : {"kernels/link.cu", "kernels/linked/x.cu", "passwd", "fifo", "kernels", "/etc/passwd",
                                 "../outside", "kernels/../../outside", ""}) {
    all += error_at(tree, path) + "\n";
  }
  for (const std::string& path :
       {std::string("kernels/a/x.cu"), std::string("kernels/../kernels/./a//x.cu"), std::string("none"),
        std::string("none/x"), std::string("kernels/a/x.cu/y"), std::string(5000, 'x')}) {
    all += text_in(tree, path) + "\n";
  }
  return all;
}

const std::string kAnswers = "untrusted: kernels/link.cu" + kLink + "\nuntrusted: kernels/linked/x.cu" + kLink +
                             "\nuntrusted: passwd" + kLink +
                             "\nusage: fifo: is no regular file\n"
                             "usage: kernels: is no regular file\n"
                             "usage: /etc/passwd: is an absolute path; name it relative to the file that uses it\n"
                             "usage: ../outside: leaves the repository; keep what a kernel needs inside it\n"
                             "usage: kernels/../../outside: leaves the repository; keep what a kernel needs inside it\n"
                             "usage: path: is empty; name a file\n"
                             "source\nsource\nnothing\nnothing\nnothing\nnothing\n";

// From here on openat2 answers as a kernel that does not have it.
bool forbid_openat2() {
  std::array<sock_filter, 4> code{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

TEST_CASE("a tree gives its files and nothing else: no links, no outside, no FIFO that hangs") {
  const Planted planted;
  CHECK(answers(planted.tree()) == kAnswers);
}

TEST_CASE("a kernel without openat2 gives the same answers") {
  const Planted planted;
  const std::string seen = in_child([&]() -> std::string {
    const FolderTree tree = planted.tree();
    if (!forbid_openat2()) return "no filter";
    std::string all = answers(tree);
    for (const std::string& path : tree.list("kernels")) all += path + " ";
    return all;
  });
  if (seen == "no filter") KGATE_SKIP("system calls cannot be filtered here");
  CHECK(seen == kAnswers + "kernels/a/kernel.toml kernels/a/x.cu kernels/kernel.toml ");
}

TEST_CASE("a file in a tree may not be larger than allowed") {
  const Planted planted;
  CHECK(planted.tree().read("kernels/a/x.cu", 6).has_value());
  CHECK(error_of([&] { static_cast<void>(planted.tree().read("kernels/a/x.cu", 5)); }) ==
        "usage: kernels/a/x.cu: has 6 bytes; at most 5 are allowed");
}

TEST_CASE("a tree lists its regular files, sorted, without hidden folders and links") {
  const Planted planted;
  const FolderTree tree = planted.tree();
  using Paths = std::vector<std::string>;
  CHECK(tree.list("") == Paths{".gitignore", "kernels/a/kernel.toml", "kernels/a/x.cu", "kernels/kernel.toml"});
  CHECK(tree.list("kernels/a") == Paths{"kernels/a/kernel.toml", "kernels/a/x.cu"});
  CHECK(tree.list("kernels/a/") == Paths{"kernels/a/kernel.toml", "kernels/a/x.cu"});
  CHECK(tree.list(".kgate") == Paths{".kgate/policy.toml"});
  CHECK(tree.list("none").empty());
  CHECK(error_of([&] { tree.list("kernels/linked"); }) == "untrusted: kernels/linked" + kLink);
  CHECK(error_of([&] { tree.list("../"); }) == "usage: ../: leaves the repository; keep what a kernel needs inside it");
}

TEST_CASE("a tree keeps its folder when that is renamed under it") {
  const Planted planted;
  const FolderTree tree = planted.tree();
  fs::rename(planted.root(), planted.root().parent_path() / "elsewhere");
  CHECK(text_in(tree, "kernels/kernel.toml") == "top");
}

TEST_CASE("a tree needs a folder") {
  const Planted planted;
  CHECK(planted.tree().description() == "working tree " + planted.root().string());
  const std::string none = (planted.root() / "none").string(), file = (planted.root() / ".gitignore").string();
  CHECK(error_of([&] { FolderTree{none}; }) ==
        "usage: " + none + ": cannot be opened as a folder: No such file or directory");
  CHECK(error_of([&] { FolderTree{file}; }) == "usage: " + file + ": cannot be opened as a folder: Not a directory");
}

TEST_CASE("paths are joined beneath the tree") {
  CHECK(join_beneath("a/b", "../c/x") == "a/c/x");
  CHECK(join_beneath("", "x") == "x");
  CHECK(join_beneath("a", "./b//c/") == "a/b/c");
  CHECK(join_beneath("a", "..") == "");
  CHECK(join_beneath("a", "..x") == "a/..x");
  CHECK(error_of([] { join_beneath("a", "../../x"); }) ==
        "usage: ../../x: leaves the repository; keep what a kernel needs inside it");
  CHECK(error_of([] { join_beneath("a", std::string("x\0y", 3)); }) ==
        "usage: x: is followed by a zero byte, which no path may hold");
  CHECK(parent_of("a/b/x.toml") == "a/b");
  CHECK(parent_of("x.toml") == "");
}

TEST_CASE("globs match within a segment, and ** over any number of them") {
  CHECK(glob_match("kernels/**/kernel.toml", "kernels/kernel.toml"));
  CHECK(glob_match("kernels/**/kernel.toml", "kernels/a/b/kernel.toml"));
  CHECK_FALSE(glob_match("kernels/**/kernel.toml", "other/kernel.toml"));
  CHECK_FALSE(glob_match("kernels/**/kernel.toml", "kernels/a/kernel.toml.bak"));
  CHECK(glob_match("kernels/*/kernel.toml", "kernels/a/kernel.toml"));
  CHECK_FALSE(glob_match("kernels/*/kernel.toml", "kernels/a/b/kernel.toml"));
  CHECK(glob_match("**", "a/b/c"));
  CHECK(glob_match("**/x/**/y", "x/x/a/y"));
  CHECK(glob_match("a/**", "a/b"));
  CHECK(glob_match("soft*_?.cu", "softmax_2.cu"));
  CHECK_FALSE(glob_match("soft?", "soft"));
  CHECK(glob_match("*a*b", "xxaxxbab"));
  CHECK_FALSE(glob_match("", "a"));
  CHECK(glob_match("", ""));
}

TEST_CASE("a glob of many stars is answered at once") {
  std::string pattern, path;
  for (int i = 0; i < 200; ++i) pattern += "**/*a*a*/";
  for (int i = 0; i < 2000; ++i) path += "aaaa/";
  CHECK_FALSE(glob_match(pattern + "b", path + "c"));
}
