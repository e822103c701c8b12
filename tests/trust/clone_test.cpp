// Clones that have less than the whole: shallow, partial, borrowed and damaged ones, each with its whole message and
// the remedy run.
#include <fstream>

#include "gate/trust/base_commit.h"
#include "gate/trust/repository.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"
#include "tests/trust/git_fixture.h"
#include "tests/trust/known_leaks.h"

using kgate::trust::BaseRequest;
using kgate::trust::Repository;

namespace {

std::string brief(const std::string& commit) {
  return commit.substr(0, 10);
}

std::string refused_ref(const Repository& repository, const std::string& ref) {
  BaseRequest request;
  request.policy_ref = ref;
  return error_of([&] { kgate::trust::find_base(request, repository); });
}

// Where git keeps an object that is in no pack.
std::string loose(const GitFixture& fixture, const std::string& folder, const std::string& revision) {
  const std::string id = fixture.git(folder, {"rev-parse", revision});
  return fixture.path(folder + "/.git/objects/" + id.substr(0, 2) + "/" + id.substr(2));
}

void overwrite(const std::string& file, const std::string& content) {
  std::filesystem::permissions(file, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
  std::ofstream(file, std::ios::binary) << content;
}

}  // namespace

TEST_CASE("what a shallow clone of one commit lacks is told with the fetch that brings it") {
  const GitFixture fixture;
  const std::string first = fixture.init_kernels("origin");
  fixture.git("origin", {"branch", "topic", first});
  fixture.git("", {"clone", "-q", "--depth", "1", "file://" + fixture.path("origin"), "s"});
  const KnownLeaks leaks;
  const Repository repository = Repository::open(fixture.path("s"));
  const std::string head = *repository.resolve("HEAD"), fact = ": names no commit of this clone, which is shallow; ";
  CHECK(repository.shallow());
  CHECK_FALSE(repository.parent(head));
  CHECK(refused_ref(repository, "HEAD~1") ==
        "usage: --policy-ref HEAD~1" + fact + "fetch its history: git fetch --unshallow");
  CHECK(refused_ref(repository, first) ==
        "usage: --policy-ref " + first + fact + "fetch it: git fetch origin " + first);
  CHECK(refused_ref(repository, "origin/topic") ==
        "usage: --policy-ref origin/topic" + fact + "fetch it: git fetch origin topic:refs/remotes/origin/topic");
  CHECK(refused_ref(repository, "nothing") ==
        "usage: --policy-ref nothing" + fact + "fetch it first, or name a branch, a tag or a commit that is here");

  SECTION("by its digits") {
    fixture.git("s", {"fetch", "-q", "origin", first});
    CHECK(repository.resolve(first) == first);
    CHECK(content_of(*repository.tree(first), "kernels/a/k.cu") == "a1\n");
  }
  SECTION("by its branch") {
    fixture.git("s", {"fetch", "-q", "origin", "topic:refs/remotes/origin/topic"});
    CHECK(repository.resolve("origin/topic") == first);
  }
  SECTION("by whole history") {
    fixture.git("s", {"fetch", "-q", "--unshallow"});
    // A shallow repository that is open is read as it was.
    const Repository whole = Repository::open(fixture.path("s"));
    CHECK(whole.resolve("HEAD~1") == first);
    CHECK(whole.merge_base(first, head) == first);
    CHECK(whole.parent(head) == first);
    CHECK_FALSE(whole.shallow());
  }
}

TEST_CASE("a whole clone names what it lacks too") {
  const GitFixture fixture;
  const std::string first = fixture.init("origin");
  fixture.git("", {"clone", "-q", "file://" + fixture.path("origin"), "r"});
  const Repository repository = Repository::open(fixture.path("r"));
  CHECK(refused_ref(repository, "HEAD~1") ==
        "usage: --policy-ref HEAD~1: names no commit of this clone; fetch it first, or name a branch, a tag or a "
        "commit that is here");
  CHECK(refused_ref(repository, "-x") ==
        "usage: --policy-ref -x: names no commit of this clone; fetch it first, or name a branch, a tag or a commit "
        "that is here");
  CHECK(refused_ref(repository, "origin/topic") ==
        "usage: --policy-ref origin/topic: names no commit of this clone; fetch it: git fetch origin "
        "topic:refs/remotes/origin/topic");
  const std::string second = fixture.commit("origin", "second.txt", "2");
  CHECK(refused_ref(repository, second) ==
        "usage: --policy-ref " + second + ": names no commit of this clone; fetch it: git fetch origin " + second);
  fixture.git("r", {"fetch", "-q", "origin", second});
  CHECK(repository.resolve(second) == second);
}

namespace {

// A clone that leaves files out, and the remedy that its messages name.
struct Partial {
  GitFixture fixture;
  std::string first = fixture.init_kernels("origin"), folder = fixture.path("p");
  std::string remedy = "git -C " + folder + " fetch --refetch --no-filter origin";
  std::string hint = " is not in this clone, which leaves files out (git clone --filter); bring them all: " + remedy +
                     " (git 2.36 or newer); or clone without --filter";

  void clone(std::vector<std::string> options) const {
    options.insert(options.begin(), {"clone", "-q"});
    options.insert(options.end(), {"file://" + fixture.path("origin"), "p"});
    fixture.git("", options);
  }
  bool refetches() const { return fixture.can(remedy); }
};

}  // namespace

TEST_CASE("a clone without old files names the one that is missing, and its remedy brings all of them") {
  const Partial partial;
  partial.clone({"--filter=blob:none"});
  const KnownLeaks leaks;
  const auto tree = Repository::open(partial.folder).tree(partial.first);
  CHECK(tree->list("kernels") == std::vector<std::string>{"kernels/a/k.cu", "kernels/b/k.cu"});
  CHECK(content_of(*tree, "kernels/b/k.cu") == "b1\n");  // unchanged since, so the checkout brought it
  CHECK(error_of([&] { content_of(*tree, "kernels/a/k.cu"); }) ==
        "usage: kernels/a/k.cu: its content in commit " + brief(partial.first) + partial.hint);
  if (!partial.refetches()) KGATE_SKIP("this git does not know --refetch");
  CHECK(content_of(*Repository::open(partial.folder).tree(partial.first), "kernels/a/k.cu") == "a1\n");
}

TEST_CASE("a clone without old trees says so for the commit, and its remedy brings all of them") {
  const Partial partial;
  partial.clone({"--filter=tree:0"});
  const KnownLeaks leaks;
  CHECK(error_of([&] { Repository::open(partial.folder).tree(partial.first); }) ==
        "usage: commit " + partial.first + ": its list of files" + partial.hint);
  if (!partial.refetches()) KGATE_SKIP("this git does not know --refetch");
  CHECK(content_of(*Repository::open(partial.folder).tree(partial.first), "kernels/a/k.cu") == "a1\n");
}

TEST_CASE("a clone without trees below the first names the folder that is missing") {
  const Partial partial;
  partial.clone({"--filter=tree:1", "--no-checkout"});
  const KnownLeaks leaks;
  const auto tree = Repository::open(partial.folder).tree(partial.first);
  CHECK(error_of([&] { tree->list("kernels/a"); }) ==
        "usage: kernels/a: its list of files in commit " + brief(partial.first) + partial.hint);
  CHECK(error_of([&] { tree->list(""); }) ==
        "usage: kernels: its list of files in commit " + brief(partial.first) + partial.hint);
  CHECK(error_of([&] { content_of(*tree, "kernels/a/k.cu"); }) ==
        "usage: kernels/a/k.cu: its content in commit " + brief(partial.first) + partial.hint);
}

TEST_CASE("a sparse, shallow and partial clone, as CI makes them, is read, and completed by the same remedy") {
  const Partial partial;
  partial.clone({"--filter=blob:none", "--depth", "1", "--sparse"});
  partial.fixture.git("p", {"sparse-checkout", "set", "kernels/a"});
  const KnownLeaks leaks;
  const Repository repository = Repository::open(partial.folder);
  const std::string head = *repository.resolve("HEAD");
  CHECK_FALSE(repository.dirty());
  CHECK(content_of(*repository.tree(head), "kernels/a/k.cu") == "a2\n");
  CHECK(error_of([&] { content_of(*repository.tree(head), "kernels/b/k.cu"); }) ==
        "usage: kernels/b/k.cu: its content in commit " + brief(head) + partial.hint);
  if (!partial.refetches()) KGATE_SKIP("this git does not know --refetch");
  CHECK(content_of(*Repository::open(partial.folder).tree(head), "kernels/b/k.cu") == "b1\n");
}

TEST_CASE("a clone whose lender is gone names that folder, and is whole again when it is back") {
  const GitFixture fixture;
  fixture.init_kernels("lender");
  fixture.git("", {"clone", "-q", "--shared", "lender", "r"});
  const std::string head = fixture.git("r", {"rev-parse", "HEAD"});
  const std::string own = fixture.commit("r", "own.txt", "own");
  fixture.shell("mv lender away");
  const KnownLeaks leaks;
  const std::string hint = " is not in this clone, which borrows objects from " + fixture.path("lender/.git/objects") +
                           ", and that is not there; bring that folder back (a container needs it too), or clone again "
                           "without --shared and --reference";
  {
    const Repository repository = Repository::open(fixture.path("r"));
    CHECK(refused_ref(repository, "origin/main") == "usage: revision \"origin/main\": its commit " + head + hint);
    CHECK(error_of([&] { repository.parent(own); }) == "usage: commit " + own + ": its parent " + head + hint);
    const auto tree = repository.tree(own);
    CHECK(content_of(*tree, "own.txt") == "own");
    CHECK(error_of([&] { content_of(*tree, "kernels/a/k.cu"); }) ==
          "usage: kernels/a/k.cu: its content in commit " + brief(own) + hint);
  }
  fixture.shell("mv away lender");
  CHECK(content_of(*Repository::open(fixture.path("r")).tree(own), "kernels/a/k.cu") == "a2\n");
}

TEST_CASE("a clone that is all borrowed does not look like one without a commit") {
  const GitFixture fixture;
  const std::string head = fixture.init("lender");
  fixture.git("", {"clone", "-q", "--shared", "lender", "r"});
  fixture.shell("mv lender away");
  const KnownLeaks leaks;
  CHECK(error_of([&] { kgate::trust::find_base({}, Repository::open(fixture.path("r"))); }) ==
        "usage: revision \"HEAD\": its commit " + head + " is not in this clone, which borrows objects from " +
            fixture.path("lender/.git/objects") +
            ", and that is not there; bring that folder back (a container needs it too), or clone again without "
            "--shared and --reference");
}

TEST_CASE("a damaged object is told as damage, whatever is wrong with it") {
  const GitFixture fixture;
  const std::string commit = fixture.init_kernels("r");
  const std::string remedy =
      "; the clone is damaged (git -C " + fixture.path("r") + " fsck --full says more): clone again";
  const KnownLeaks leaks;
  const auto error = [&] {
    return error_of([&] { content_of(*Repository::open(fixture.path("r")).tree(commit), "kernels/a/k.cu"); });
  };
  const std::string file = "usage: kernels/a/k.cu: its content in commit " + brief(commit) + " cannot be read: ";
  SECTION("a file that is no object") {
    overwrite(loose(fixture, "r", commit + ":kernels/a/k.cu"), "garbage");
    CHECK(reads(error(), file, remedy));
  }
  SECTION("another file's object") {
    const std::string other = loose(fixture, "r", commit + ":kernels/b/k.cu");
    const std::string place = loose(fixture, "r", commit + ":kernels/a/k.cu");
    std::filesystem::remove(place);
    std::filesystem::copy_file(other, place);
    const std::string id = fixture.git("r", {"rev-parse", commit + ":kernels/a/k.cu"});
    const std::string found = fixture.git("r", {"rev-parse", commit + ":kernels/b/k.cu"});
    CHECK(reads(error(), file, remedy));
    CHECK(error().find(id) != std::string::npos);
    CHECK(error().find(found) != std::string::npos);
  }
  SECTION("a file that was cut short") {
    const std::string place = loose(fixture, "r", commit + ":kernels/a/k.cu");
    const std::string id = fixture.git("r", {"rev-parse", commit + ":kernels/a/k.cu"});
    std::filesystem::permissions(place, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
    const auto size = std::filesystem::file_size(place);
    for (const std::uintmax_t left : {size - 1, size / 2, std::uintmax_t{3}, std::uintmax_t{0}}) {
      INFO(left);
      std::filesystem::resize_file(place, left);
      CHECK(error() == file + "the file of object " + id + " was cut short" + remedy);
    }
  }
  SECTION("a commit that was cut short") {
    const std::string place = loose(fixture, "r", commit);
    std::filesystem::permissions(place, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
    std::filesystem::resize_file(place, std::filesystem::file_size(place) - 5);
    CHECK(error() ==
          "usage: commit " + commit + ": it cannot be read: the file of object " + commit + " was cut short" + remedy);
  }
  SECTION("an object that is not there at all") {
    std::filesystem::remove(loose(fixture, "r", commit + ":kernels/a/k.cu"));
    CHECK(error() ==
          "usage: kernels/a/k.cu: its content in commit " + brief(commit) + " is not in this clone" + remedy);
  }
  SECTION("a commit") {
    overwrite(loose(fixture, "r", commit), "garbage");
    CHECK(reads(error(), "usage: commit " + commit + ": it cannot be read: ", remedy));
  }
  SECTION("the commit of HEAD") {
    const std::string head = fixture.git("r", {"rev-parse", "HEAD"});
    overwrite(loose(fixture, "r", head), "garbage");
    CHECK(reads(error_of([&] { kgate::trust::find_base({}, Repository::open(fixture.path("r"))); }),
                "usage: revision \"HEAD\": its commit " + head + " cannot be read: ", remedy));
  }
}

TEST_CASE("an object that a pack has too is read from there, whatever became of its file") {
  const GitFixture fixture;
  const std::string commit = fixture.init_kernels("r");
  const std::string place = loose(fixture, "r", commit + ":kernels/a/k.cu");
  std::filesystem::copy_file(place, fixture.path("kept"));
  fixture.git("r", {"repack", "-a", "-d", "-q"});
  std::filesystem::create_directories(std::filesystem::path(place).parent_path());
  std::filesystem::copy_file(fixture.path("kept"), place, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::permissions(place, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
  std::filesystem::resize_file(place, 9);
  CHECK(content_of(*Repository::open(fixture.path("r")).tree(commit), "kernels/a/k.cu") == "a1\n");
}

TEST_CASE("a large object in a file of its own is read whole") {
  const GitFixture fixture;
  fixture.init("r");
  std::string large;
  for (int i = 0; i < 60000; ++i) large += std::to_string(i * 7919) + " ";
  const std::string commit = fixture.commit("r", "large.txt", large);
  const auto content = Repository::open(fixture.path("r")).tree(commit)->read("large.txt", 1 << 20);
  REQUIRE(content);
  CHECK(kgate::text_of(*content) == large);
}

TEST_CASE("refs that are packed, and a packed history, are read like loose ones") {
  const GitFixture fixture;
  const std::string first = fixture.init_kernels("r");
  fixture.git("r", {"pack-refs", "--all", "--prune"});
  fixture.git("r", {"repack", "-a", "-d", "-q"});
  const Repository repository = Repository::open(fixture.path("r"));
  CHECK(repository.resolve("main~1") == first);
  CHECK(content_of(*repository.tree(first), "kernels/a/k.cu") == "a1\n");
  CHECK_FALSE(repository.dirty());
}

TEST_CASE("replaced objects, which exist in one clone only, change nothing about a commit") {
  const GitFixture fixture;
  const std::string first = fixture.init_kernels("r");
  const std::string head = fixture.git("r", {"rev-parse", "HEAD"});
  fixture.git("r", {"replace", first, head});
  fixture.git("r", {"replace", "-f", head + ":kernels/b/k.cu", head + ":kernels/a/k.cu"});
  REQUIRE(fixture.git("r", {"show", first + ":kernels/a/k.cu"}) == "a2");  // what git itself would have shown
  REQUIRE(fixture.git("r", {"show", head + ":kernels/b/k.cu"}) == "a2");
  const Repository repository = Repository::open(fixture.path("r"));
  CHECK(content_of(*repository.tree(first), "kernels/a/k.cu") == "a1\n");
  CHECK(content_of(*repository.tree(head), "kernels/b/k.cu") == "b1\n");
  CHECK(repository.resolve(first) == first);
}

TEST_CASE("branches without a common commit are compared with the base itself, and that is said") {
  const GitFixture fixture;
  const std::string first = fixture.init("r");
  fixture.git("r", {"checkout", "-q", "--orphan", "other"});
  fixture.commit("r", "other.txt", "o");
  BaseRequest request;
  request.variables = {{"GITHUB_ACTIONS", "true"}, {"GITHUB_EVENT_NAME", "pull_request"}};
  request.github_event = R"({"number": 3, "pull_request": {"base": {"ref": "main", "sha": ")" + first + R"("}}})";
  const auto base = kgate::trust::find_base(request, Repository::open(fixture.path("r")));
  CHECK(base.commit == first);
  CHECK(base.explanation == "pull request 3: base " + brief(first) + " (they have no commit in common)");
}
