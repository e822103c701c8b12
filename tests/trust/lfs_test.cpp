// Files that Git LFS keeps: read by the digest in their pointer, from the clone's own store.
#include "gate/trust/lfs.h"

#include <filesystem>

#include "base/digest.h"
#include "gate/trust/repository.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"
#include "tests/trust/git_fixture.h"

using kgate::trust::lfs_pointer;
using kgate::trust::Repository;

namespace {

std::string pointer_to(const std::string& content) {
  return "version https://git-lfs.github.com/spec/v1\noid sha256:" + kgate::sha256_hex(content) + "\nsize " +
         std::to_string(content.size()) + "\n";
}

std::string place_of(const std::string& content) {
  const std::string digest = kgate::sha256_hex(content);
  return "/objects/" + digest.substr(0, 2) + "/" + digest.substr(2, 2) + "/" + digest;
}

std::string error_at(const kgate::FileTree& tree, const std::string& path) {
  return error_of([&] { content_of(tree, path); });
}

// A repository whose *.npy Git LFS keeps.
std::string init_lfs(const GitFixture& fixture) {
  fixture.init("r");
  return fixture.commit("r", ".gitattributes", "*.npy filter=lfs diff=lfs merge=lfs -text\n");
}

}  // namespace

TEST_CASE("a pointer is the three lines of the specification, and nothing else is one") {
  const auto pointer = lfs_pointer(kgate::view_of(pointer_to("data")));
  REQUIRE(pointer);
  CHECK(pointer->sha256 == kgate::sha256_hex("data"));
  CHECK(pointer->size == 4);
  const std::string digest(64, 'a'), version = "version https://git-lfs.github.com/spec/v1\n";
  for (const std::string& text :
       {std::string(), std::string("data"), version, version + "oid sha256:" + digest + "\n", version + "size 7\n",
        version + "oid sha256:" + digest.substr(1) + "\nsize 7\n", version + "oid sha256:" + digest + "\nsize seven\n",
        version + "oid sha256:" + digest + "\nsize -7\n", version + "oid md5:" + digest + "\nsize 7\n",
        "version https://git-lfs.github.com/spec/v2\noid sha256:" + digest + "\nsize 7\n",
        version + "oid sha256:" + digest + "\nsize 7\n" + std::string(1000, '\n'),
        version + "oid sha256:" + digest + "\nsize 7\n\n", version + "oid sha256:" + digest + "\nsize 7",
        version + "oid sha256:" + digest + "\nsize 07\n", version + "oid sha256:" + digest + "\r\nsize 7\r\n",
        version + "size 7\noid sha256:" + digest + "\n", " " + version + "oid sha256:" + digest + "\nsize 7\n",
        version + "ext-0-foo sha256:" + digest + "\noid sha256:" + digest + "\nsize 7\n",
        version + "int x; /*\noid sha256:" + digest + "\nsize 7\n*/\n"}) {
    INFO(text);
    CHECK_FALSE(lfs_pointer(kgate::view_of(text)));
  }
}

TEST_CASE("what Git LFS keeps is read from the store, for a commit and for a working tree without the file") {
  const GitFixture fixture;
  init_lfs(fixture);
  const std::string commit = fixture.commit("r", "y.npy", pointer_to("data"));
  const std::string root = fixture.path("r");
  const Repository repository = Repository::open(root);
  CHECK(error_at(*repository.tree(commit), "y.npy") == "usage: y.npy: is kept by Git LFS, and its content in commit " +
                                                           commit.substr(0, 10) + " is not in this clone; git -C " +
                                                           root + " lfs fetch origin " + commit);
  CHECK(error_at(*repository.working_tree(), "y.npy") ==
        "usage: y.npy: is kept by Git LFS, and the working tree has only its pointer; git -C " + root +
            " lfs pull (in actions/checkout: lfs: true)");
  std::string store = "r/.git/lfs";
  SECTION("in its own place") {}
  SECTION("in a place that is configured") {
    fixture.git("r", {"config", "lfs.storage", fixture.path("shared")});
    store = "shared";
  }
  fixture.write(store + place_of("data"), "data");
  CHECK(content_of(*repository.tree(commit), "y.npy") == "data");
  CHECK(content_of(*repository.working_tree(), "y.npy") == "data");
  fixture.write(store + place_of("data"), "date");
  const std::string folder = store == "shared" ? fixture.path("shared") : root + "/.git/lfs";
  CHECK(error_at(*repository.tree(commit), "y.npy") ==
        "usage: y.npy: what Git LFS stored for it, " + folder + place_of("data") +
            ", has not the digest that git names; git -C " + root + " lfs fsck");
}

TEST_CASE("a file that Git LFS keeps is refused by its own size, before it is read") {
  const GitFixture fixture;
  init_lfs(fixture);
  const std::string commit = fixture.commit("r", "y.npy", pointer_to(std::string(2000, 'x')));
  CHECK(error_of([&] { Repository::open(fixture.path("r")).tree(commit)->read("y.npy", 1999); }) ==
        "usage: y.npy: has 2000 bytes; at most 1999 are allowed");
}

TEST_CASE("the working tree's own file never stands in for a commit's") {
  const GitFixture fixture;
  init_lfs(fixture);
  const std::string commit = fixture.commit("r", "y.npy", pointer_to("data"));
  fixture.write("r/y.npy", "data");
  const Repository repository = Repository::open(fixture.path("r"));
  CHECK(content_of(*repository.working_tree(), "y.npy") == "data");
  CHECK_FALSE(repository.dirty());  // the file that the pointer names
  CHECK(error_at(*repository.tree(commit), "y.npy").find("is kept by Git LFS") != std::string::npos);
  fixture.write("r/y.npy", "date");
  CHECK(repository.dirty());
}

TEST_CASE("text that reads like a pointer is text where no attribute gives the file to Git LFS") {
  const GitFixture fixture;
  const std::string with = init_lfs(fixture), pointer = pointer_to("data");
  fixture.write("r/.git/lfs" + place_of("data"), "data");
  const std::string commit = fixture.commit("r", "k.cuh", pointer);
  const Repository repository = Repository::open(fixture.path("r"));
  CHECK(content_of(*repository.tree(commit), "k.cuh") == pointer);
  CHECK(content_of(*repository.working_tree(), "k.cuh") == pointer);
  fixture.write("r/k.cuh", "data");
  CHECK(repository.dirty());
  // A commit's own attributes count for it, the working tree's for what would be merged.
  fixture.write("r/k.cuh", pointer);
  fixture.write("r/.gitattributes", "*.cuh filter=lfs\n");
  CHECK(content_of(*repository.tree(commit), "k.cuh") == pointer);
  CHECK(content_of(*repository.working_tree(), "k.cuh") == "data");
  const std::string other = fixture.commit("r", "y.npy", pointer);
  CHECK(content_of(*repository.tree(other), "k.cuh") == "data");
  CHECK(content_of(*repository.tree(other), "y.npy") == pointer);
  // libgit2 would take this for "all but x.npy"; git ignores it.
  fixture.write("r/.gitattributes", "!x.npy filter=lfs\n");
  CHECK(content_of(*repository.working_tree(), "k.cuh") == pointer);
}

TEST_CASE("what git-lfs may take for a pointer and the specification does not is refused") {
  const GitFixture fixture;
  init_lfs(fixture);
  const std::string commit = fixture.commit("r", "y.npy", pointer_to("data") + "\n");
  const std::string refusal =
      "untrusted: y.npy: has the attribute filter=lfs and reads almost like a pointer of Git LFS; what a checkout "
      "makes "
      "of it depends on the version of git-lfs; let git-lfs write it: git add --renormalize y.npy";
  const Repository repository = Repository::open(fixture.path("r"));
  CHECK(error_at(*repository.tree(commit), "y.npy") == refusal);
  CHECK(error_at(*repository.working_tree(), "y.npy") == refusal);
}

TEST_CASE("with git-lfs itself the remedies bring what they name") {
  const GitFixture fixture;
  if (!fixture.can("git lfs version")) KGATE_SKIP("git-lfs is not installed");
  fixture.init("origin");
  fixture.shell("cd origin && git lfs install --local && git lfs track '*.npy'");
  const std::string first = fixture.commit("origin", "y.npy", "first");
  const std::string second = fixture.commit("origin", "y.npy", "second");
  fixture.shell("GIT_LFS_SKIP_SMUDGE=1 git clone -q file://" + fixture.path("origin") + " r");
  fixture.git("r", {"lfs", "install", "--local"});
  const Repository repository = Repository::open(fixture.path("r"));
  CHECK(error_at(*repository.working_tree(), "y.npy").find(" lfs pull") != std::string::npos);
  fixture.git("r", {"lfs", "pull"});
  CHECK(content_of(*repository.working_tree(), "y.npy") == "second");
  CHECK(content_of(*repository.tree(second), "y.npy") == "second");
  CHECK_FALSE(repository.dirty());
  CHECK(error_at(*repository.tree(first), "y.npy").find(" lfs fetch origin " + first) != std::string::npos);
  fixture.git("r", {"lfs", "fetch", "origin", first});
  CHECK(content_of(*repository.tree(first), "y.npy") == "first");
}
