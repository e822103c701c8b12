#include "gate/trust/git_program.h"

#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/ledger_fixture.h"

using kgate::trust::GitProgram;

TEST_CASE("git says which remotes and branches there are") {
  const LedgerFixture fixture;
  const std::string first = fixture.init("seed");
  fixture.git("seed", {"branch", "a/b"});
  fixture.git("seed", {"branch", "x/a/b"});
  fixture.git("", {"clone", "-q", "seed", "r"});
  const GitProgram git = fixture.program("r");
  CHECK(git.has_remote("origin"));
  CHECK_FALSE(git.has_remote("other"));
  CHECK(git.remote_head("origin", "main") == first);
  CHECK(git.remote_head("origin", "a/b") == first);
  CHECK_FALSE(git.remote_head("origin", "b"));
  CHECK_FALSE(git.remote_head("origin", "nothing"));
}

TEST_CASE("names that are options, patterns or more than names are refused") {
  const LedgerFixture fixture;
  fixture.init("r");
  const GitProgram git = fixture.program("r");
  const std::string remedy =
      "is no name that git can have; name it without ':', '*', spaces and the like, and with no '-' in front";
  CHECK(error_of([&] { git.has_remote("--upload-pack=x"); }) == "usage: remote \"--upload-pack=x\": " + remedy);
  CHECK(error_of([&] { git.remote_head("-o", "main"); }) == "usage: remote \"-o\": " + remedy);
  for (const char* bad : {"-d", "", "a b", "a:b", "+a", "a*", "a~1", "a^", "a\nb"}) {
    CHECK(error_of([&] { git.fetch("origin", bad); }) == "usage: branch \"" + std::string(bad) + "\": " + remedy);
    CHECK(error_of([&] { git.push("origin", bad, "", ""); }) ==
          "usage: branch \"" + std::string(bad) + "\": " + remedy);
  }
}

TEST_CASE("fetching follows a branch wherever it went, and says why it cannot") {
  const LedgerFixture fixture;
  const std::string first = fixture.init("seed");
  const std::string second = fixture.commit("seed", "second.txt", "2");
  fixture.git("", {"clone", "-q", "seed", "r"});
  const GitProgram git = fixture.program("r");
  fixture.git("seed", {"branch", "topic", second});
  git.fetch("origin", "topic");
  CHECK(fixture.git("r", {"rev-parse", "origin/topic"}) == second);
  fixture.git("seed", {"branch", "-f", "topic", first});
  git.fetch("origin", "topic");
  CHECK(fixture.git("r", {"rev-parse", "origin/topic"}) == first);
  CHECK(error_of([&] { git.fetch("origin", "nothing"); }) ==
        "environment: git fetch origin nothing: couldn't find remote ref refs/heads/nothing; see that it works here, "
        "with the same user and credentials");
}

TEST_CASE("a partial clone gets a branch whole") {
  const LedgerFixture fixture;
  fixture.init("seed");
  fixture.git("seed", {"config", "uploadpack.allowFilter", "true"});
  fixture.git("", {"clone", "-q", "--filter=blob:none", "file://" + fixture.path("seed"), "r"});
  fixture.git("seed", {"checkout", "-q", "-b", "records"});
  const std::string commit = fixture.commit("seed", "record.json", "{}");
  fixture.program("r").fetch("origin", "records");
  CHECK(content_of(*kgate::trust::Repository::open(fixture.path("r")).tree(commit), "record.json") == "{}");
}

TEST_CASE("a push swaps the branch only where it is what was expected") {
  const LedgerFixture fixture;
  const std::string first = fixture.init("seed");
  fixture.git("", {"clone", "-q", "--bare", "seed", "host.git"});
  fixture.git("", {"clone", "-q", "host.git", "r"});
  const std::string second = fixture.commit("r", "second.txt", "2");
  const GitProgram git = fixture.program("r");
  using Pushed = GitProgram::Pushed;
  CHECK(git.push("origin", "topic", first, second) == Pushed::moved);  // it is not there
  CHECK(git.push("origin", "topic", first, "") == Pushed::yes);
  CHECK(git.push("origin", "topic", second, "") == Pushed::moved);
  CHECK(git.push("origin", "topic", second, second) == Pushed::moved);
  CHECK(git.remote_head("origin", "topic") == first);
  CHECK(git.push("origin", "topic", second, first) == Pushed::yes);
  CHECK(git.remote_head("origin", "topic") == second);
}

TEST_CASE("a push that another one holds up is not refused but held, with the reason") {
  const LedgerFixture fixture;
  const std::string first = fixture.init("seed");
  fixture.git("", {"clone", "-q", "--bare", "seed", "host.git"});
  fixture.git("", {"clone", "-q", "host.git", "r"});
  const std::string second = fixture.commit("r", "second.txt", "2");
  fixture.write("host.git/refs/heads/main.lock", "");
  const auto pushed = fixture.program("r").push("origin", "main", second, first);
  CHECK(pushed == GitProgram::Pushed::held);
  CHECK(pushed.reason.find("main.lock': File exists") != std::string::npos);
  std::filesystem::remove(fixture.path("host.git/refs/heads/main.lock"));
  CHECK(fixture.program("r").push("origin", "main", second, first) == GitProgram::Pushed::yes);
}

TEST_CASE("a ref of this clone moves only where it is what was expected") {
  const LedgerFixture fixture;
  const std::string first = fixture.init("r");
  const std::string second = fixture.commit("r", "second.txt", "2");
  const GitProgram git = fixture.program("r");
  using Pushed = GitProgram::Pushed;
  CHECK(git.move("refs/heads/x", first, second) == Pushed::moved);
  CHECK(git.move("refs/heads/x", first, "") == Pushed::yes);
  CHECK(git.move("refs/heads/x", second, "") == Pushed::moved);
  CHECK(git.move("refs/heads/x", second, first) == Pushed::yes);
  CHECK(fixture.git("r", {"rev-parse", "x"}) == second);
  CHECK(error_of([&] { git.move("refs/heads/x/y", second, ""); }) ==
        "environment: git update-ref refs/heads/x/y: update_ref failed for ref 'refs/heads/x/y': cannot lock ref "
        "'refs/heads/x/y': 'refs/heads/x' exists; cannot create 'refs/heads/x/y'; refs/heads/x is in the way, since a "
        "branch is a file or a folder: rename it, or have [ledger] branch in the policy name another");
}

TEST_CASE("git works on the repository it was given, whatever a hook's environment says") {
  const LedgerFixture fixture;
  const std::string first = fixture.init("seed");
  fixture.init("other");
  fixture.git("", {"clone", "-q", "seed", "r"});
  const GitProgram git(fixture.path("r"), {{"HOME", fixture.path("")},
                                           {"PATH", "/usr/bin:/bin"},
                                           {"GIT_DIR", fixture.path("other/.git")},
                                           {"GIT_WORK_TREE", fixture.path("other")},
                                           {"GIT_INDEX_FILE", "/nowhere"},
                                           {"LANG", "de_DE.UTF-8"}});
  CHECK(git.has_remote("origin"));
  CHECK(git.remote_head("origin", "main") == first);
}

TEST_CASE("a remote of another object format is told with a way out") {
  const LedgerFixture fixture;
  fixture.init("r");
  fixture.git("", {"init", "-q", "-b", "main", "--object-format=sha256", "s"});
  fixture.commit("s", "first.txt", "1");
  fixture.git("r", {"remote", "add", "origin", fixture.path("s")});
  CHECK(error_of([&] { fixture.program("r").remote_head("origin", "main"); }) ==
        "environment: git ls-remote origin: the repository there has the object format sha256, which libgit2, by which "
        "kgate reads, cannot; keep it in a repository of the format sha1 (git init --object-format=sha1): records have "
        "SHA-256 digests and signatures of their own");
}

TEST_CASE("secrets in a remote's address do not reach messages, and a machine without git says so") {
  const LedgerFixture fixture;
  fixture.init("r");
  fixture.git("r", {"remote", "add", "origin", "https://user:secret@host.invalid/x.git"});
  const std::string error = error_of([&] { fixture.program("r").remote_head("origin", "main"); });
  CHECK(error.find("environment: git ls-remote origin: ") == 0);
  CHECK(error.find("secret") == std::string::npos);
  const GitProgram none(fixture.path("r"), {{"PATH", "/nowhere"}});
  CHECK(error_of([&] { none.has_remote("origin"); }) == "environment: git: is not installed; looked in /nowhere");
}
