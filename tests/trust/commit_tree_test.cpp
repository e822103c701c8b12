#include "gate/trust/commit_tree.h"

#include <filesystem>
#include <thread>

#include "gate/trust/repository.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/git_fixture.h"

using kgate::trust::Repository;

namespace {

std::string text(const std::optional<kgate::Bytes>& bytes) {
  return bytes ? std::string(kgate::text_of(*bytes)) : "nothing";
}

}  // namespace

TEST_CASE("a commit's files are what was committed, whatever the working tree holds now") {
  const GitFixture fixture;
  fixture.init("r");
  fixture.write("r/kernels/a/kernel.toml", "a");
  fixture.write("r/kernels/b.cu", std::string("b\0b", 3));
  fixture.write("r/.kgate/policy.toml", "policy");
  fixture.write("r/.kgate/.hidden/x", "x");
  fixture.write("r/.clang-format", "c");
  const std::string commit = fixture.commit("r", "kernels/a/a.cu", "committed");
  fixture.write("r/kernels/a/a.cu", "changed");
  const auto tree = Repository::open(fixture.path("r")).tree(commit);
  CHECK(tree->description() == "commit " + commit.substr(0, 10));
  CHECK(text(tree->read("kernels/a/a.cu", 100)) == "committed");
  CHECK(text(tree->read("kernels/../kernels/./a/a.cu", 100)) == "committed");
  CHECK(text(tree->read("kernels/b.cu", 3)) == std::string("b\0b", 3));
  CHECK(text(tree->read(".kgate/policy.toml", 100)) == "policy");
  CHECK(text(tree->read("kernels/c.cu", 100)) == "nothing");
  CHECK(text(tree->read("kernels/b.cu/c", 100)) == "nothing");
  using Names = std::vector<std::string>;
  CHECK(tree->list("") ==
        Names{".clang-format", "first.txt", "kernels/a/a.cu", "kernels/a/kernel.toml", "kernels/b.cu"});
  CHECK(tree->list("kernels/a") == Names{"kernels/a/a.cu", "kernels/a/kernel.toml"});
  CHECK(tree->list(".kgate") == Names{".kgate/policy.toml"});
  CHECK(tree->list("nowhere").empty());
  CHECK(tree->list("first.txt").empty());
}

TEST_CASE("nothing outside a commit is read: links are refused, paths stay beneath") {
  const GitFixture fixture;
  fixture.init("r");
  std::filesystem::create_symlink("first.txt", fixture.path("r/link.txt"));
  std::filesystem::create_directory_symlink("/etc", fixture.path("r/etc"));
  const std::string commit = fixture.commit("r", "folder/file.txt", "12345");
  const auto tree = Repository::open(fixture.path("r")).tree(commit);
  const auto error = [&](const std::string& path) { return error_of([&] { tree->read(path, 4); }); };
  const std::string link = ": is a symbolic link, or lies behind one; put the file itself there";
  CHECK(error("link.txt") == "untrusted: link.txt" + link);
  CHECK(error("etc/passwd") == "untrusted: etc/passwd" + link);
  CHECK(error("folder") == "usage: folder: is no regular file");
  CHECK(error("folder/file.txt") == "usage: folder/file.txt: has 5 bytes; at most 4 are allowed");
  CHECK(error("../r/first.txt") == "usage: ../r/first.txt: leaves the repository; keep what a kernel needs inside it");
  CHECK(error("/etc/passwd") == "usage: /etc/passwd: is an absolute path; name it relative to the file that uses it");
  using Names = std::vector<std::string>;
  CHECK(tree->list("") == Names{"first.txt", "folder/file.txt"});
  CHECK(tree->list("etc").empty());
}

TEST_CASE("a folder on disk and the commit made from it answer alike") {
  const GitFixture fixture;
  fixture.init("r");
  std::filesystem::create_symlink("first.txt", fixture.path("r/link.txt"));
  const std::string commit = fixture.commit("r", "a/b.txt", "12345");
  const auto committed = Repository::open(fixture.path("r")).tree(commit);
  const kgate::FolderTree folder(fixture.path("r"));
  CHECK(committed->list("") == folder.list(""));
  for (const char* path :
       {"a", "a/b.txt", "a/b.txt/c", "a/none", "link.txt", "link.txt/x", "../x", "/x", "first.txt", "a//b.txt"}) {
    INFO(path);
    CHECK(error_of([&] { committed->read(path, 4); }) == error_of([&] { folder.read(path, 4); }));
    if (error_of([&] { folder.read(path, 9); }) == "no error") CHECK(committed->read(path, 9) == folder.read(path, 9));
  }
}

TEST_CASE("a commit that this clone lacks is said with a remedy") {
  const GitFixture fixture;
  fixture.init("r");
  const std::string absent(40, '1');
  CHECK(error_of([&] { Repository::open(fixture.path("r")).tree(absent); }) ==
        "usage: commit " + absent + ": is not in this clone; fetch it: git fetch origin " + absent);
}

TEST_CASE("a tree outlives its repository object and can be read by several threads") {
  const GitFixture fixture;
  fixture.init("r");
  const std::string commit = fixture.commit("r", "a.txt", "a");
  const auto tree = Repository::open(fixture.path("r")).tree(commit);
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  for (int& count : right) {
    threads.emplace_back([&tree, &count] {
      for (int i = 0; i < 200; ++i) count += text(tree->read("a.txt", 10)) == "a" && tree->list("").size() == 2 ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 200));
}
