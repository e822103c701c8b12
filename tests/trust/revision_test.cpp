// What names stand for, and who could make them stand for something else.
#include <set>
#include <sstream>

#include "gate/trust/repository.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/git_fixture.h"

using kgate::trust::Repository;

namespace {

struct Named {
  GitFixture fixture;
  std::string first, second;

  Named() {
    first = fixture.init("origin");
    second = fixture.commit("origin", "second.txt", "2");
    fixture.git("", {"clone", "-q", "file://" + fixture.path("origin"), "r"});
  }
  void ref(const std::string& name, const std::string& commit) const { fixture.git("r", {"update-ref", name, commit}); }
  std::optional<std::string> resolve(const std::string& revision) const {
    return Repository::open(fixture.path("r")).resolve(revision);
  }
  std::string error(const std::string& revision) const {
    return error_of([&] { resolve(revision); });
  }
};

}  // namespace

TEST_CASE("a tag that bears a remote branch's name does not stand in for it") {
  const Named named;
  CHECK(named.resolve("origin/main") == named.second);
  named.ref("refs/tags/origin/main", named.first);
  const std::string fact =
      ": is ambiguous: refs/tags/origin/main and refs/remotes/origin/main are different commits; give the full name of "
      "the one that is meant, such as refs/remotes/origin/main";
  CHECK(named.error("origin/main") == "untrusted: revision \"origin/main\"" + fact);
  CHECK(named.error("origin/main~1") == "untrusted: revision \"origin/main~1\"" + fact);
  CHECK(named.error("origin/main@{0}") == "untrusted: revision \"origin/main@{0}\"" + fact);
  CHECK(named.resolve("refs/remotes/origin/main") == named.second);
  CHECK(named.resolve("refs/tags/origin/main") == named.first);
}

TEST_CASE("two refs of one name and one commit are not ambiguous") {
  const Named named;
  named.ref("refs/tags/main", named.second);
  CHECK(named.resolve("main") == named.second);
  named.ref("refs/tags/main", named.first);
  CHECK(named.error("main") ==
        "untrusted: revision \"main\": is ambiguous: refs/tags/main and refs/heads/main are different commits; give "
        "the full name of the one that is meant, such as refs/heads/main");
}

TEST_CASE("a ref whose name looks like a full one, or like HEAD, does not stand in for it") {
  const Named named;
  named.ref("refs/tags/refs/remotes/origin/main", named.first);
  named.ref("refs/heads/HEAD", named.first);
  CHECK(named.resolve("refs/remotes/origin/main") == named.second);
  CHECK(named.resolve("HEAD") == named.second);
  CHECK(named.resolve("@") == named.second);
}

TEST_CASE("forty digits are that commit, whatever a branch is called, and so is its parent") {
  const Named named;
  named.ref("refs/heads/" + named.second, named.first);
  CHECK(named.resolve(named.second) == named.second);
  const Repository repository = Repository::open(named.fixture.path("r"));
  CHECK(repository.parent(named.second) == named.first);
  CHECK_FALSE(repository.parent(named.first));
  CHECK_FALSE(repository.parent(std::string(40, '1')));
  const std::string absent(40, '1');
  named.ref("refs/heads/" + absent, named.first);
  CHECK_FALSE(named.resolve(absent));
}

TEST_CASE("a branch that bears a commit's first digits is ambiguous where it is another commit") {
  const Named named;
  const std::string digits = named.second.substr(0, 8);
  CHECK(named.resolve(digits) == named.second);
  named.ref("refs/heads/" + digits, named.second);
  CHECK(named.resolve(digits) == named.second);
  named.ref("refs/heads/" + digits, named.first);
  CHECK(named.error(digits) ==
        "untrusted: revision \"" + digits + "\": is ambiguous: refs/heads/" + digits + " and " + named.second +
            " are different commits; give the full name of the one that is meant, such as " + named.second);
}

TEST_CASE("digits that several objects begin with ask for more of them") {
  const GitFixture fixture;
  fixture.init("r");
  // Among some hundred objects two share their first four digits.
  std::string names;
  for (int n = 0; n < 2000; ++n) {
    fixture.write("r/many/" + std::to_string(n), std::to_string(n));
    names += "many/" + std::to_string(n) + "\n";
  }
  fixture.write("r/names.txt", names);
  std::istringstream ids(fixture.shell("cd r && git hash-object -w --stdin-paths < names.txt"));
  std::set<std::string> seen;
  std::string shared;
  for (std::string id; shared.empty() && std::getline(ids, id);) {
    if (!seen.insert(id.substr(0, 4)).second) shared = id.substr(0, 4);
  }
  REQUIRE_FALSE(shared.empty());
  CHECK(error_of([&] { Repository::open(fixture.path("r")).resolve(shared); }) ==
        "usage: revision \"" + shared + "\": is ambiguous; give more digits of the commit");
}

TEST_CASE("annotated tags, refs of packed repositories and words that look like options resolve to what git means") {
  const Named named;
  named.fixture.git("r", {"tag", "-a", "-m", "v1", "v1", named.first});
  named.fixture.git("r", {"tag", "-a", "-m", "v2", "v2", "v1"});
  named.fixture.git("r", {"pack-refs", "--all"});
  CHECK(named.resolve("v1") == named.first);
  CHECK(named.resolve("v2") == named.first);
  CHECK(named.resolve(named.fixture.git("r", {"rev-parse", "v2"})) == named.first);
  CHECK(named.resolve("origin") == named.second);
  CHECK(named.resolve("main@{upstream}") == named.second);
  for (const char* option :
       {"-x", "--all", "--policy-ref", "-", "--", "..", "main..v1", "v1...main", "^main", "/", "~", "^"}) {
    INFO(option);
    CHECK_FALSE(named.resolve(option));
  }
}

TEST_CASE("a branch whose commit is not in the clone is damage, not an unknown name") {
  const Named named;
  const std::string absent(40, '1');
  named.fixture.write("r/.git/refs/heads/lost", absent + "\n");
  const std::string folder = named.fixture.path("r");
  CHECK(named.error("lost") == "usage: revision \"lost\": its commit " + absent +
                                   " is not in this clone; the clone is damaged (git -C " + folder +
                                   " fsck --full says more): clone again");
  CHECK_FALSE(named.resolve("unborn"));
}
