// What a repository must be to be opened: each kind that libgit2 or kgate refuses, with its whole message, and the
// message's remedy, run.
#include <cstdlib>

#include <git2.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/trust/repository.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"
#include "tests/trust/git_fixture.h"

using kgate::trust::Repository;

namespace {

std::string refusal(const std::string& folder) {
  return error_of([&] { Repository::open(folder); });
}

// A variable of this process's environment, as it was before when this goes.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

// The folder where libgit2 looks for the user's configuration.
class UserConfiguration {
 public:
  explicit UserConfiguration(const std::string& folder) {
    git_libgit2_init();
    set(folder.c_str());
  }
  ~UserConfiguration() {
    set(nullptr);
    git_libgit2_shutdown();
  }
  UserConfiguration(const UserConfiguration&) = delete;
  UserConfiguration& operator=(const UserConfiguration&) = delete;

 private:
  static void set(const char* folder) { git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_GLOBAL, folder); }
};

}  // namespace

TEST_CASE("a repository of the object format sha256 is refused, and the copy that the message makes is not") {
  const GitFixture fixture;
  if (!fixture.can("git init -q -b main --object-format=sha256 s"))
    KGATE_SKIP("this git does not know the format sha256");
  fixture.commit("s", "a.txt", "a");
  const std::string folder = fixture.path("s");
  CHECK(refusal(folder) ==
        "usage: " + folder +
            ": has the object format sha256, which libgit2, by which kgate reads, cannot; make a copy in the format "
            "sha1: git init --object-format=sha1 COPY, then git -C " +
            folder + " fast-export --all | git -C COPY fast-import");
  const std::string copy = fixture.path("copy");
  fixture.shell("git init -q --object-format=sha1 " + copy);
  fixture.shell("git -C " + folder + " fast-export --all | git -C " + copy + " fast-import --quiet");
  fixture.git("copy", {"checkout", "-q", "main"});
  const Repository repository = Repository::open(copy);
  CHECK(content_of(*repository.tree(*repository.resolve("main")), "a.txt") == "a");
}

TEST_CASE("a repository that keeps its refs as a reftable is refused with git's own way back") {
  const GitFixture fixture;
  fixture.init("r");
  // As a newer git would have made it.
  fixture.git("r", {"config", "core.repositoryformatversion", "1"});
  fixture.git("r", {"config", "extensions.refStorage", "reftable"});
  const std::string folder = fixture.path("r");
  CHECK(refusal(folder) == "usage: " + folder +
                               ": keeps its refs in the format reftable, which libgit2, by which kgate reads, cannot; "
                               "git -C " +
                               folder + " refs migrate --ref-format=files");
}

TEST_CASE("a repository of an unknown format is refused with what libgit2 says of it") {
  const GitFixture fixture;
  fixture.init("r");
  const std::string folder = fixture.path("r");
  const std::string remedy = "; see what git -C " + folder +
                             " status says; where git can read it and libgit2 " LIBGIT2_VERSION
                             " cannot, a plain git clone makes one that both can";
  fixture.git("r", {"config", "core.repositoryformatversion", "1"});
  fixture.git("r", {"config", "extensions.shiny", "true"});
  CHECK(reads(refusal(folder), "usage: " + folder + ": the git repository cannot be opened: ", remedy));
  CHECK(refusal(folder).find("extensions.shiny") != std::string::npos);
}

TEST_CASE("formats that change nothing about reading are opened: partial clones, worktrees' own configuration") {
  const GitFixture fixture;
  const std::string head = fixture.init("r");
  fixture.git("r", {"config", "core.repositoryformatversion", "1"});
  for (const char* name : {"partialClone", "worktreeConfig", "preciousObjects", "relativeWorktrees"}) {
    fixture.git("r", {"config", std::string("extensions.") + name, "true"});
    INFO(name);
    CHECK(Repository::open(fixture.path("r")).resolve("HEAD") == head);
  }
}

TEST_CASE("a repository whose working tree is elsewhere is refused, not the other folder judged") {
  const GitFixture fixture;
  fixture.init("r");
  fixture.init("other");
  const std::string folder = fixture.path("r"),
                    remedy = "git config --file " + folder + "/.git/config --unset core.worktree";
  for (const std::string& elsewhere : {fixture.path("other"), fixture.path("nowhere")}) {
    fixture.git("", {"config", "--file", "r/.git/config", "core.worktree", elsewhere});
    CHECK(refusal(folder) == "usage: " + folder + ": its repository names another working tree, " + elsewhere +
                                 " (core.worktree); run kgate there, or: " + remedy);
  }
  fixture.shell(remedy);
  CHECK(Repository::open(folder).root() == folder);
}

TEST_CASE("files of a change that pose as a repository are not one") {
  const GitFixture fixture;
  fixture.init("r");
  fixture.git("", {"clone", "-q", "--bare", "r", "r/kernels"});
  fixture.git("", {"config", "--file", "r/kernels/config", "core.bare", "false"});
  fixture.git("", {"config", "--file", "r/kernels/config", "core.worktree", fixture.path("r")});
  const Repository repository = Repository::open(fixture.path("r/kernels"));
  fixture.git("r", {"config", "kgate.marked", "true"});
  CHECK(repository.root() == fixture.path("r"));
  // Its own refs are the outer repository's: a branch that only the files have is unknown.
  fixture.write("r/kernels/refs/heads/forged", repository.resolve("HEAD").value() + "\n");
  CHECK_FALSE(repository.resolve("forged"));
}

TEST_CASE("a repository that calls itself bare beside its files is refused, and the remedy mends it") {
  const GitFixture fixture;
  fixture.init("r");
  fixture.git("r", {"config", "core.bare", "true"});
  const std::string folder = fixture.path("r"), remedy = "git config --file " + folder + "/.git/config core.bare false";
  CHECK(refusal(folder) == "usage: " + folder + ": its repository says that it is bare (core.bare); " + remedy);
  fixture.shell(remedy);
  CHECK(Repository::open(folder).root() == folder);
}

TEST_CASE("the variables by which git is pointed elsewhere do not point kgate elsewhere") {
  const GitFixture fixture;
  const std::string head = fixture.init("r");
  fixture.init("other");
  fixture.commit("other", "second.txt", "2");
  std::filesystem::create_directories(fixture.path("plain"));
  const Variable git_dir("GIT_DIR", fixture.path("other/.git")), work("GIT_WORK_TREE", fixture.path("plain"));
  const Variable index("GIT_INDEX_FILE", fixture.path("other/.git/index"));
  const Variable objects("GIT_OBJECT_DIRECTORY", fixture.path("other/.git/objects"));
  const Repository repository = Repository::open(fixture.path("r"));
  CHECK(repository.root() == fixture.path("r"));
  CHECK(repository.resolve("HEAD") == head);
  CHECK_FALSE(repository.dirty());
  CHECK(refusal(fixture.path("plain")) ==
        "usage: " + fixture.path("plain") +
            ": is not in a git repository; run kgate in a checkout, or name one with --repo");
}

TEST_CASE("a linked worktree whose repository is gone says where that was, and the remedy links it again") {
  const GitFixture fixture;
  const std::string head = fixture.init("r");
  fixture.git("r", {"worktree", "add", "-q", "-b", "topic", "../w"});
  fixture.shell("mv r moved");
  const std::string folder = fixture.path("w");
  CHECK(refusal(folder) == "usage: " + folder + ": .git leads to " + fixture.path("r/.git/worktrees/w") +
                               ", which is not there; a container needs that folder too; where the repository was "
                               "moved, run there: git worktree repair " +
                               folder);
  fixture.shell("cd moved && git worktree repair " + folder);
  CHECK(Repository::open(folder).resolve("topic") == head);
}

TEST_CASE("a linked worktree that was moved by hand says so, and the remedy links it again") {
  const GitFixture fixture;
  const std::string head = fixture.init("r");
  fixture.git("r", {"worktree", "add", "-q", "-b", "topic", "../w"});
  fixture.shell("mv w moved");
  const std::string folder = fixture.path("moved"), remedy = "git -C " + folder + " worktree repair";
  CHECK(refusal(folder) == "usage: " + folder + ": was moved: its repository, " + fixture.path("r/.git/worktrees/w") +
                               ", expects this working tree at " + fixture.path("w") + "; " + remedy);
  fixture.shell(remedy);
  CHECK(Repository::open(folder).resolve("topic") == head);
}

TEST_CASE("a repository that is a submodule is one like any other, until the repository around it is gone") {
  const GitFixture fixture;
  const std::string head = fixture.init("library");
  fixture.init("outer");
  fixture.git("outer", {"submodule", "--quiet", "add", fixture.path("library"), "third"});
  const std::string folder = fixture.path("outer/third");
  {
    const Repository repository = Repository::open(folder);
    CHECK(repository.root() == folder);
    CHECK(repository.resolve("HEAD") == head);
    CHECK_FALSE(repository.dirty());
    CHECK(content_of(*repository.tree(head), "first.txt") == "first\n");
  }
  fixture.shell("mv outer/third alone && rm -r outer");
  CHECK(refusal(fixture.path("alone")) ==
        "usage: " + fixture.path("alone") + ": .git leads to " +
            std::filesystem::path(fixture.path("alone/../.git/modules/third")).lexically_normal().string() +
            ", which is not there; a container needs that folder too; a submodule is brought back by git submodule "
            "update --init in the repository around it");
}

TEST_CASE("a checkout of another user is refused by its own top folder, and the remedy makes git and kgate trust it") {
  if (::geteuid() != 0) KGATE_SKIP("only root can give a folder to another user");
  const GitFixture fixture;
  fixture.init("r");
  fixture.write("r/kernels/a.cu", "a");
  fixture.shell("chown -R 12345:12345 r");
  const UserConfiguration configuration(fixture.path(""));
  const std::string folder = fixture.path("r"), remedy = "git config --global --add safe.directory " + folder;
  const std::string error = refusal(folder + "/kernels");
  if (error == "no error") KGATE_SKIP("this libgit2 does not look at owners");
  CHECK(error == "usage: " + folder + ": belongs to another user, and git does not trust it; where you do: " + remedy);
  fixture.shell(remedy);
  CHECK(Repository::open(folder + "/kernels").root() == folder);
}
