#include "gate/trust/repository.h"

#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/git_fixture.h"
#include "tests/trust/known_leaks.h"

using kgate::trust::Repository;

TEST_CASE("a repository is found from any folder in it") {
  const GitFixture fixture;
  fixture.init("r");
  fixture.commit("r", "a/b/c.txt", "c");
  CHECK(Repository::open(fixture.path("r/a/b")).root() == fixture.path("r"));
}

TEST_CASE("what is no repository with a working tree is refused with a remedy") {
  const GitFixture fixture;
  fixture.init("r");
  fixture.git("", {"clone", "-q", "--bare", "r", "bare.git"});
  std::filesystem::create_directories(fixture.path("plain"));
  const auto error = [&](const std::string& folder) {
    return error_of([&] { Repository::open(fixture.path(folder)); });
  };
  CHECK(error("plain") == "usage: " + fixture.path("plain") +
                              ": is not in a git repository; run kgate in a checkout, or name one with --repo");
  CHECK(error("nowhere") ==
        "usage: " + fixture.path("nowhere") + ": is not a folder; name the repository's folder with --repo");
  CHECK(error("bare.git") ==
        "usage: " + fixture.path("bare.git") +
            ": is a bare repository, which has no working tree to judge; check it out (git clone, git "
            "worktree add) and run kgate there");
}

TEST_CASE("branches, tags, short digits and ancestors name commits; other words name none") {
  const GitFixture fixture;
  const std::string first = fixture.init("r");
  const std::string second = fixture.commit("r", "second.txt", "2");
  fixture.git("r", {"tag", "light", first});
  fixture.git("r", {"tag", "-a", "-m", "annotated", "heavy", first});
  fixture.git("r", {"branch", "topic", first});
  const Repository repository = Repository::open(fixture.path("r"));
  CHECK(repository.resolve("HEAD") == second);
  CHECK(repository.resolve("main") == second);
  CHECK(repository.resolve("HEAD~1") == first);
  CHECK(repository.resolve("light") == first);
  CHECK(repository.resolve("heavy") == first);
  CHECK(repository.resolve("topic") == first);
  CHECK(repository.resolve(first.substr(0, 12)) == first);
  CHECK_FALSE(repository.resolve("HEAD~2"));
  CHECK_FALSE(repository.resolve("nothing"));
  CHECK_FALSE(repository.resolve(""));
  CHECK_FALSE(repository.resolve("a b"));
  CHECK_FALSE(repository.resolve("HEAD:first.txt"));
  CHECK_FALSE(repository.resolve(std::string(40, '1')));
}

TEST_CASE("a repository without a commit has no HEAD and is not an error") {
  const GitFixture fixture;
  fixture.git("", {"init", "-q", "-b", "main", "empty"});
  const Repository repository = Repository::open(fixture.path("empty"));
  CHECK_FALSE(repository.resolve("HEAD"));
  CHECK_FALSE(repository.dirty());
  fixture.write("empty/a.txt", "a");
  CHECK(repository.dirty());
}

TEST_CASE("a detached HEAD and a worktree are repositories like any other") {
  const GitFixture fixture;
  const std::string first = fixture.init("r");
  const std::string second = fixture.commit("r", "second.txt", "2");
  fixture.git("r", {"worktree", "add", "-q", "--detach", "../w", first});
  fixture.git("r", {"checkout", "-q", "--detach", second});
  const Repository worktree = Repository::open(fixture.path("w"));
  CHECK(worktree.root() == fixture.path("w"));
  CHECK(worktree.resolve("HEAD") == first);
  CHECK(worktree.resolve("main") == second);
  CHECK_FALSE(worktree.dirty());
  CHECK(worktree.tree(second)->read("second.txt", 10).has_value());
  CHECK(Repository::open(fixture.path("r")).resolve("HEAD") == second);
}

TEST_CASE("the merge base is where two branches part, and nothing where a shallow clone ends before it") {
  const GitFixture fixture;
  fixture.init("r");
  const std::string fork = fixture.commit("r", "fork.txt", "f");
  fixture.git("r", {"checkout", "-q", "-b", "topic"});
  const std::string topic = fixture.commit("r", "topic.txt", "t");
  fixture.git("r", {"checkout", "-q", "main"});
  const std::string main = fixture.commit("r", "main.txt", "m");
  const Repository whole = Repository::open(fixture.path("r"));
  CHECK(whole.merge_base(main, topic) == fork);
  CHECK(whole.merge_base(main, main) == main);
  const KnownLeaks leaks;
  CHECK_FALSE(whole.merge_base(main, std::string(40, '1')));
  CHECK_FALSE(whole.merge_base(main, "topic"));
  CHECK_FALSE(whole.shallow());

  fixture.git("", {"clone", "-q", "--depth", "1", "--no-single-branch", "file://" + fixture.path("r"), "s"});
  const Repository shallow = Repository::open(fixture.path("s"));
  CHECK(shallow.shallow());
  CHECK(shallow.resolve("origin/topic") == topic);
  CHECK_FALSE(shallow.merge_base(main, topic));
  CHECK_FALSE(shallow.resolve("HEAD~1"));
}

TEST_CASE("a working tree is dirty where a file was changed, staged, removed or added, not where it is ignored") {
  const GitFixture fixture;
  fixture.init("r");
  fixture.commit("r", ".gitignore", "out/\n");
  const Repository repository = Repository::open(fixture.path("r"));
  CHECK_FALSE(repository.dirty());
  fixture.write("r/out/result.json", "{}");
  CHECK_FALSE(repository.dirty());
  SECTION("changed") {
    fixture.write("r/first.txt", "changed and longer\n");
  }
  SECTION("added") {
    fixture.write("r/new.txt", "new");
  }
  SECTION("removed") {
    std::filesystem::remove(fixture.path("r/first.txt"));
  }
  SECTION("staged") {
    fixture.write("r/first.txt", "staged\n");
    fixture.git("r", {"add", "first.txt"});
  }
  CHECK(repository.dirty());
}
