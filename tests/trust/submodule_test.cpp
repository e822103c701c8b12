// Submodules: read at the commit that a commit pins, and as they are checked out.
#include "gate/trust/submodule.h"

#include "gate/trust/repository.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/git_fixture.h"

using kgate::FileTree;
using kgate::trust::Repository;

namespace {

using Names = std::vector<std::string>;

std::string error_at(const FileTree& tree, const std::string& path) {
  return error_of([&] { content_of(tree, path); });
}

// A repository with a library below "kernels/third", whose pin went from the library's first commit to its second.
struct Outer {
  GitFixture fixture;
  std::string pin_before, pin_after, before, after;
  std::string root = fixture.path("outer");

  Outer() {
    pin_before = fixture.init_kernels("library");
    pin_after = fixture.git("library", {"rev-parse", "HEAD"});
    fixture.init("outer");
    fixture.git("outer", {"submodule", "--quiet", "add", "file://" + fixture.path("library"), "kernels/third"});
    fixture.git("outer/kernels/third", {"checkout", "-q", pin_before});
    before = fixture.commit("outer", "kernels/own/k.cu", "own\n");
    fixture.git("outer/kernels/third", {"checkout", "-q", pin_after});
    after = fixture.commit("outer", "kernels/own/k.cu", "own again\n");
  }
  std::unique_ptr<FileTree> at(const std::string& commit) const { return Repository::open(root).tree(commit); }
};

}  // namespace

TEST_CASE("a commit's submodule is read at the commit that it pins, whatever is checked out") {
  const Outer outer;
  const std::string path = "kernels/third/kernels/a/k.cu";
  CHECK(content_of(*outer.at(outer.before), path) == "a1\n");
  CHECK(content_of(*outer.at(outer.after), path) == "a2\n");
  outer.fixture.write("outer/" + path, "edited\n");
  CHECK(content_of(*outer.at(outer.after), path) == "a2\n");
  CHECK(content_of(*Repository::open(outer.root).working_tree(), path) == "edited\n");
  CHECK(content_of(*outer.at(outer.after), "kernels/third/none.cu") == "nothing");
  CHECK(error_at(*outer.at(outer.after), "kernels/third") == "usage: kernels/third: is no regular file");
  CHECK(error_at(*outer.at(outer.after), "kernels/third/kernels") ==
        "usage: kernels/third/kernels: is no regular file");
}

TEST_CASE("a submodule is left out of a list unless the folder lies in it, in a commit and in the working tree") {
  const Outer outer;
  const Repository repository = Repository::open(outer.root);
  const auto working = repository.working_tree();
  const auto committed = repository.tree(outer.after);
  for (const FileTree* tree : {working.get(), committed.get()}) {
    CHECK(tree->list("kernels") == Names{"kernels/own/k.cu"});
    CHECK(tree->list("kernels/third") == Names{"kernels/third/kernels/a/k.cu", "kernels/third/kernels/b/k.cu"});
    CHECK(tree->list("kernels/third/kernels/a") == Names{"kernels/third/kernels/a/k.cu"});
    CHECK(tree->list("kernels/third/none").empty());
  }
  std::vector<std::string> told;
  for (const auto& file : working->left_out("kernels"))
    told.push_back(file.path + ": " + file.fact + "; " + file.remedy);
  const std::string fact =
      ": lies in kernels/third, a repository of its own; a pattern that begins with kernels/third/ reads it";
  CHECK(told == Names{"kernels/third/kernels/a/k.cu" + fact, "kernels/third/kernels/b/k.cu" + fact});
  CHECK(working->left_out("kernels/third").empty());
}

TEST_CASE("a submodule that is not checked out is told, and the remedy brings it") {
  const Outer outer;
  outer.fixture.git("", {"clone", "-q", "file://" + outer.root, "clone"});
  const std::string root = outer.fixture.path("clone");
  const std::string remedy = "git -C " + root + " submodule update --init kernels/third";
  const std::string fact = ": lies in the submodule kernels/third, which is not checked out; " + remedy;
  const Repository repository = Repository::open(root);
  const auto working = repository.working_tree();
  const auto committed = repository.tree(outer.after);
  for (const FileTree* tree : {working.get(), committed.get()}) {
    CHECK(error_at(*tree, "kernels/third/kernels/a/k.cu") == "usage: kernels/third/kernels/a/k.cu" + fact);
    CHECK(error_of([&] { tree->list("kernels/third/kernels"); }) == "usage: kernels/third/kernels" + fact);
    CHECK(tree->list("kernels") == Names{"kernels/own/k.cu"});
  }
  CHECK_FALSE(repository.dirty());
  outer.fixture.shell(remedy);
  CHECK(content_of(*working, "kernels/third/kernels/a/k.cu") == "a2\n");
  CHECK(content_of(*committed, "kernels/third/kernels/a/k.cu") == "a2\n");
}

TEST_CASE("a pinned commit that the submodule's clone lacks is told, and the remedy brings it") {
  const Outer outer;
  outer.fixture.git("",
                    {"clone", "-q", "--recurse-submodules", "--shallow-submodules", "file://" + outer.root, "clone"});
  const std::string root = outer.fixture.path("clone");
  const std::string remedy = "git -C " + root + "/kernels/third fetch origin " + outer.pin_before;
  const auto tree = Repository::open(root).tree(outer.before);
  CHECK(error_at(*tree, "kernels/third/kernels/a/k.cu") ==
        "usage: kernels/third/kernels/a/k.cu: lies in the submodule kernels/third at commit " + outer.pin_before +
            ", which is not in its clone; " + remedy);
  outer.fixture.shell(remedy);
  CHECK(content_of(*tree, "kernels/third/kernels/a/k.cu") == "a1\n");
}

TEST_CASE("a submodule within a submodule is read by the same rules") {
  const Outer outer;
  outer.fixture.init("top");
  outer.fixture.git("top", {"submodule", "--quiet", "add", "file://" + outer.root, "sub"});
  const std::string commit = outer.fixture.commit("top", "x", "x");
  const std::string root = outer.fixture.path("top");
  const Repository repository = Repository::open(root);
  CHECK(content_of(*repository.tree(commit), "sub/kernels/own/k.cu") == "own again\n");
  const std::string path = "sub/kernels/third/kernels/a/k.cu";
  CHECK(error_at(*repository.tree(commit), path) ==
        "usage: " + path + ": lies in the submodule kernels/third, which is not checked out; git -C " + root +
            "/sub submodule update --init kernels/third");
  outer.fixture.git("top/sub", {"submodule", "--quiet", "update", "--init"});
  CHECK(content_of(*repository.tree(commit), path) == "a2\n");
  CHECK(content_of(*repository.working_tree(), path) == "a2\n");
}

TEST_CASE("a folder that took a submodule's place lends it nothing") {
  const Outer outer;
  // The change replaces the submodule by files of its own, among them a repository's: the pin still decides.
  outer.fixture.shell("cd outer && git rm -q kernels/third && rm -rf kernels/third");
  outer.fixture.init_kernels("outer/kernels/third");
  const std::string path = "kernels/third/kernels/a/k.cu";
  const auto tree = outer.at(outer.after);
  // The same files, hence the same commits: this repository has the pinned one, and it is what it always was.
  CHECK(content_of(*tree, path) == "a2\n");
  outer.fixture.shell("rm -rf outer/kernels/third");
  outer.fixture.init("outer/kernels/third");
  outer.fixture.commit("outer/kernels/third", "kernels/a/k.cu", "forged\n");
  CHECK(error_at(*outer.at(outer.after), path) ==
        "usage: " + path + ": lies in the submodule kernels/third at commit " + outer.pin_after +
            ", which is not in its clone; git -C " + outer.root + "/kernels/third fetch origin " + outer.pin_after);
}

TEST_CASE("a working tree is dirty where a submodule is at another commit or was changed") {
  const Outer outer;
  const Repository repository = Repository::open(outer.root);
  CHECK_FALSE(repository.dirty());
  SECTION("another commit") {
    outer.fixture.git("outer/kernels/third", {"checkout", "-q", outer.pin_before});
  }
  SECTION("another commit, staged") {
    outer.fixture.git("outer/kernels/third", {"checkout", "-q", outer.pin_before});
    outer.fixture.git("outer", {"add", "kernels/third"});
  }
  SECTION("another commit, though the change's .gitmodules says not to look") {
    outer.fixture.git("outer", {"config", "-f", ".gitmodules", "submodule.kernels/third.ignore", "all"});
    outer.fixture.git("outer", {"commit", "-q", "-a", "-m", "ignore"});
    REQUIRE_FALSE(repository.dirty());
    outer.fixture.git("outer/kernels/third", {"checkout", "-q", outer.pin_before});
  }
  SECTION("a changed file") {
    outer.fixture.write("outer/kernels/third/kernels/a/k.cu", "edited and longer\n");
  }
  SECTION("a new file") {
    outer.fixture.write("outer/kernels/third/new.cuh", "new\n");
  }
  CHECK(repository.dirty());
}
