// What the working tree's files are as git would commit them, and what is told about those that are not there.
#include "gate/trust/working_tree.h"

#include "gate/trust/authority.h"
#include "gate/trust/repository.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"
#include "tests/trust/git_fixture.h"
#include "tests/trust/known_leaks.h"

using kgate::FileTree;
using kgate::trust::Repository;

namespace {

using Names = std::vector<std::string>;

std::unique_ptr<FileTree> working_tree(const GitFixture& fixture, const std::string& folder) {
  return Repository::open(fixture.path(folder)).working_tree();
}

std::string error_at(const FileTree& tree, const std::string& path) {
  return error_of([&] { content_of(tree, path); });
}

// Each as "path fact; remedy".
Names told(const FileTree& tree, const std::string& folder) {
  Names lines;
  for (const auto& file : tree.left_out(folder)) lines.push_back(file.path + " " + file.fact + "; " + file.remedy);
  return lines;
}

}  // namespace

TEST_CASE("the working tree and the commit that was made from it answer alike") {
  const GitFixture fixture;
  fixture.init_kernels("r");
  std::filesystem::create_symlink("k.cu", fixture.path("r/kernels/link.cu"));
  const std::string commit = fixture.commit("r", ".kgate/policy.toml", "policy");
  const Repository repository = Repository::open(fixture.path("r"));
  const auto working = repository.working_tree(), committed = repository.tree(commit);
  CHECK(working->description() == "working tree " + fixture.path("r"));
  for (const char* folder : {"", "kernels", "kernels/a", ".kgate", "nowhere", "kernels/a/k.cu"}) {
    INFO(folder);
    CHECK(working->list(folder) == committed->list(folder));
    CHECK(working->left_out(folder).empty());
  }
  for (const char* path :
       {"kernels/a/k.cu", "kernels/./a/../a/k.cu", "kernels", "kernels/link.cu", "none", "../x", "/x", ""}) {
    INFO(path);
    CHECK(error_at(*working, path) == error_at(*committed, path));
    if (error_at(*working, path) == "no error") CHECK(content_of(*working, path) == content_of(*committed, path));
  }
}

TEST_CASE("an edited and an untracked file are what stands in them") {
  const GitFixture fixture;
  fixture.init_kernels("r");
  fixture.write("r/kernels/a/k.cu", "edited\n");
  fixture.write("r/kernels/c/k.cu", "new\n");
  const auto working = working_tree(fixture, "r");
  CHECK(content_of(*working, "kernels/a/k.cu") == "edited\n");
  CHECK(content_of(*working, "kernels/c/k.cu") == "new\n");
  CHECK(working->list("kernels") == Names{"kernels/a/k.cu", "kernels/b/k.cu", "kernels/c/k.cu"});
}

TEST_CASE("what git keeps for itself is no part of the working tree, so no kernel can read a checkout's credentials") {
  const GitFixture fixture;
  fixture.init_kernels("r");
  fixture.git("r", {"config", "http.extraheader", "AUTHORIZATION: secret"});
  fixture.git("r", {"worktree", "add", "-q", "-b", "topic", "../w"});
  for (const char* folder : {"r", "w"}) {
    const auto working = working_tree(fixture, folder);
    INFO(folder);
    for (const char* path : {".git", ".git/config", "kernels/../.git/config", "./.git/./config", ".git/HEAD"}) {
      INFO(path);
      CHECK(content_of(*working, path) == "nothing");
      CHECK(working->list(path).empty());
    }
    CHECK(working->list("") == Names{"kernels/a/k.cu", "kernels/b/k.cu"});
  }
}

TEST_CASE("line endings that a checkout made are not there, by configuration and by attributes") {
  const GitFixture fixture;
  fixture.init_kernels("r");
  SECTION("core.autocrlf") {
    fixture.git("r", {"config", "core.autocrlf", "true"});
  }
  SECTION("eol=crlf") {
    fixture.commit("r", ".gitattributes", "*.cu text eol=crlf\n");
  }
  fixture.shell("cd r && rm -r kernels && git checkout -q kernels && grep -c '\r' kernels/a/k.cu");
  const Repository repository = Repository::open(fixture.path("r"));
  CHECK(content_of(kgate::FolderTree(fixture.path("r")), "kernels/a/k.cu") == "a2\r\n");
  CHECK(content_of(*repository.working_tree(), "kernels/a/k.cu") == "a2\n");
  CHECK_FALSE(repository.dirty());
}

TEST_CASE("CRLF that was committed stays, in spite of attributes too, and so do the bytes of binary files") {
  const GitFixture fixture;
  fixture.init("r");
  fixture.commit("r", "dos.cu", "a\r\n");
  // What git add would have turned into LF: the change's author wrote the commit without it.
  const std::string blob = fixture.shell("cd r && printf 'b \\\\\\r\\n' | git hash-object -w --stdin");
  fixture.git("r", {"update-index", "--add", "--cacheinfo", "100644," + blob + ",forced.cu"});
  fixture.git("r", {"commit", "-q", "-m", "forced"});
  fixture.git("r", {"checkout", "-q", "forced.cu"});
  const std::string binary("x\0\r\n", 4);
  const std::string commit = fixture.commit("r", "data.npy", binary);
  fixture.write("r/.gitattributes", "*.npy text=auto eol=crlf\nforced.cu text\n");
  fixture.git("r", {"add", ".gitattributes"});
  const auto working = working_tree(fixture, "r");
  CHECK(content_of(*working, "dos.cu") == "a\r\n");
  CHECK(content_of(*working, "forced.cu") == "b \\\r\n");
  fixture.write("r/forced.cu", "edited\r\n");
  CHECK(content_of(*working, "forced.cu") == "edited\n");
  CHECK(content_of(*working, "data.npy") == binary);
}

TEST_CASE("a file that every checkout expands is refused, expanded here or not, and its remedy makes it a plain one") {
  const GitFixture fixture;
  fixture.init("r");
  fixture.write("r/.gitattributes", "*.cu ident\n");
  fixture.write("r/other.cu", "// no such word\n");
  fixture.commit("r", "k.cu", "int i = sizeof(\"$Id$\");\n");
  const auto error = [&] { return error_at(*working_tree(fixture, "r"), "k.cu"); };
  const std::string refusal =
      "untrusted: k.cu: has the attribute ident, by which every checkout expands its $Id$: what is built is not what "
      "is "
      "judged; keep it as it is: \"k.cu -ident\" in .gitattributes, then git add --renormalize";
  CHECK(error() == refusal);
  fixture.shell("cd r && rm k.cu && git checkout -q k.cu && grep -q 'Id: [0-9a-f]* ' k.cu");
  CHECK(error() == refusal);
  CHECK(content_of(*working_tree(fixture, "r"), "other.cu") == "// no such word\n");
  fixture.write("r/.gitattributes", "*.cu ident\nk.cu -ident\n");
  fixture.shell("cd r && git add --renormalize . && rm k.cu && git checkout -q k.cu");
  CHECK(error() == "no error");
}

TEST_CASE("a file that every archive expands is refused") {
  const GitFixture fixture;
  fixture.init("r");
  fixture.write("r/.gitattributes", "*.cu export-subst\n");
  fixture.commit("r", "k.cu", "int i = sizeof(\"$Format:%H$\");\n");
  CHECK(error_at(*working_tree(fixture, "r"), "k.cu") ==
        "untrusted: k.cu: has the attribute export-subst, by which every archive expands its $Format$: what is built "
        "from "
        "one is not what is judged; keep it as it is: \"k.cu -export-subst\" in .gitattributes, then git add "
        "--renormalize");
}

TEST_CASE("a file that a program filters is refused, configured here or not, and the remedy makes it a plain one") {
  const GitFixture fixture;
  fixture.init_kernels("r");
  fixture.write("r/.gitattributes", "kernels/a/k.cu filter=crypt\n");
  const auto error = [&] { return error_at(*working_tree(fixture, "r"), "kernels/a/k.cu"); };
  const std::string refusal =
      "untrusted: kernels/a/k.cu: has the filter \"crypt\" (.gitattributes), a program, which kgate does not run; keep "
      "it "
      "as it is: \"kernels/a/k.cu -filter\" in .gitattributes, then git add --renormalize";
  CHECK(error() == refusal);  // it may be configured where the change is built
  fixture.git("r", {"config", "filter.crypt.clean", "tr a-z b-za"});
  CHECK(error() == refusal);
  CHECK(content_of(*working_tree(fixture, "r"), "kernels/b/k.cu") == "b1\n");
  fixture.write("r/kernels/a/k.cu", "plain\n");
  fixture.git("r", {"commit", "-q", "-a", "-m", "encrypted"});
  CHECK(error() == refusal);
  CHECK(content_of(*Repository::open(fixture.path("r")).tree(fixture.git("r", {"rev-parse", "HEAD"})),
                   "kernels/a/k.cu") == "qmbjo\n");
  fixture.write("r/.gitattributes", "kernels/a/k.cu filter=crypt\nkernels/a/k.cu -filter\n");
  fixture.git("r", {"add", "--renormalize", "."});
  CHECK(error() == "no error");
  CHECK(content_of(*working_tree(fixture, "r"), "kernels/a/k.cu") == "plain\n");
  SECTION("by this machine's own configuration") {
    fixture.write("r/.git/info/attributes", "kernels/b/k.cu filter=crypt\n");
    CHECK(error_at(*working_tree(fixture, "r"), "kernels/b/k.cu").find("has the filter \"crypt\"") !=
          std::string::npos);
  }
}

TEST_CASE("a file in another encoding than the commit's is refused") {
  const GitFixture fixture;
  fixture.init_kernels("r");
  fixture.write("r/.gitattributes", "*.cu working-tree-encoding=UTF-16LE\n");
  fixture.write("r/kernels/a/k.cu", std::string("a\0", 2));
  CHECK(error_at(*working_tree(fixture, "r"), "kernels/a/k.cu") ==
        "untrusted: kernels/a/k.cu: has the working-tree-encoding \"UTF-16LE\" (.gitattributes), which kgate does not "
        "convert; keep it as it is: \"kernels/a/k.cu -working-tree-encoding\" in .gitattributes, then git add "
        "--renormalize");
}

namespace {

// Of kernels/a, kernels/b and .kgate only kernels/a is checked out.
struct Sparse {
  GitFixture fixture;
  std::string folder = fixture.path("s"), remedy = "git -C " + folder + " sparse-checkout disable";

  Sparse() {
    fixture.init_kernels("r");
    fixture.commit("r", ".kgate/policy.toml", "schema = \"kgate.policy/1\"\n");
    fixture.git("", {"clone", "-q", "r", "s"});
    fixture.git("s", {"sparse-checkout", "set", "kernels/a"});
  }
};

}  // namespace

TEST_CASE("files that a sparse checkout leaves out are told, and are not removed") {
  const Sparse sparse;
  const std::string fact = "is left out of this working tree by a sparse checkout; " + sparse.remedy;
  const Repository repository = Repository::open(sparse.folder);
  const auto working = repository.working_tree();
  CHECK(working->list("kernels") == Names{"kernels/a/k.cu"});
  CHECK(error_at(*working, "kernels/b/k.cu") == "usage: kernels/b/k.cu: " + fact);
  CHECK(content_of(*working, "kernels/b/other.cu") == "nothing");
  CHECK(told(*working, "kernels") == Names{"kernels/b/k.cu " + fact});
  CHECK(told(*working, "kernels/a").empty());
  CHECK(told(*working, ".kgate") == Names{".kgate/policy.toml " + fact});
  CHECK_FALSE(repository.dirty());
  sparse.fixture.shell(sparse.remedy);
  const Repository whole = Repository::open(sparse.folder);
  CHECK(content_of(*whole.working_tree(), "kernels/b/k.cu") == "b1\n");
  CHECK(told(*whole.working_tree(), "").empty());
  CHECK_FALSE(whole.dirty());
}

TEST_CASE("a sparse checkout is dirty where what it has was changed, and has what was put there by hand") {
  const Sparse sparse;
  SECTION("changed") {
    sparse.fixture.write("s/kernels/a/k.cu", "edited and longer\n");
  }
  SECTION("removed") {
    std::filesystem::remove(sparse.folder + "/kernels/a/k.cu");
  }
  SECTION("put there") {
    sparse.fixture.write("s/kernels/b/k.cu", "by hand and longer\n");
    const auto working = working_tree(sparse.fixture, "s");
    CHECK(content_of(*working, "kernels/b/k.cu") == "by hand and longer\n");
    CHECK(working->list("kernels") == Names{"kernels/a/k.cu", "kernels/b/k.cu"});
    CHECK(told(*working, "kernels").empty());
  }
  CHECK(Repository::open(sparse.folder).dirty());
}

TEST_CASE("policy and keys that a sparse checkout leaves out are not changes of them") {
  const Sparse sparse;
  kgate::trust::BaseRequest request;
  request.policy_ref = "main";
  const auto authority = kgate::trust::read_authority(sparse.folder, request);
  CHECK(kgate::trust::pending_changes(authority, *authority.repository->working_tree()).empty());
  sparse.fixture.write("s/.kgate/policy.toml", "changed");
  CHECK(kgate::trust::pending_changes(authority, *authority.repository->working_tree()) == Names{".kgate/policy.toml"});
}

TEST_CASE("an index that libgit2 cannot read is told with git's own way back") {
  const Sparse sparse;
  const auto error = [&] { return error_of([&] { Repository::open(sparse.folder).dirty(); }); };
  const auto check = [&](const std::string& fact, const std::string& remedy) {
    CHECK(error() == "usage: " + sparse.folder + ": " + fact + "; " + remedy);
    CHECK(error_of([&] { working_tree(sparse.fixture, "s"); }) == error());
    sparse.fixture.shell(remedy);
    CHECK_FALSE(Repository::open(sparse.folder).dirty());
  };
  SECTION("sparse") {
    if (!sparse.fixture.can("git -C s sparse-checkout set --sparse-index kernels/a"))
      KGATE_SKIP("this git does not know a sparse index");
    check("its index is sparse, which libgit2, by which kgate reads, cannot read",
          "git -C " + sparse.folder + " sparse-checkout reapply --no-sparse-index");
  }
  SECTION("split") {
    sparse.fixture.git("s", {"update-index", "--split-index"});
    check("its index is split, which libgit2, by which kgate reads, cannot read",
          "git -C " + sparse.folder + " update-index --no-split-index");
  }
  SECTION("broken") {
    sparse.fixture.write("s/.git/index", "broken");
    CHECK(reads(error(), "usage: " + sparse.folder + ": the state of the working tree cannot be read: ",
                "; see what git -C " + sparse.folder + " status says"));
  }
}

TEST_CASE("a worktree within the repository is not part of it, and is one by itself") {
  const GitFixture fixture;
  fixture.init_kernels("r");
  fixture.git("r", {"worktree", "add", "-q", "-b", "topic", "kernels/w"});
  const auto working = working_tree(fixture, "r");
  CHECK(working->list("kernels") == Names{"kernels/a/k.cu", "kernels/b/k.cu"});
  const std::string fact =
      " lies in kernels/w, a repository of its own; a pattern that begins with kernels/w/ reads it";
  CHECK(told(*working, "kernels") == Names{"kernels/w/kernels/a/k.cu" + fact, "kernels/w/kernels/b/k.cu" + fact});
  CHECK(working->list("kernels/w/kernels") == Names{"kernels/w/kernels/a/k.cu", "kernels/w/kernels/b/k.cu"});
  const auto inner = working_tree(fixture, "r/kernels/w");
  CHECK(inner->list("") == Names{"kernels/a/k.cu", "kernels/b/k.cu"});
  CHECK(told(*inner, "").empty());
}

TEST_CASE("a linked worktree has its own HEAD and state, and the repository's branches") {
  const GitFixture fixture;
  const std::string first = fixture.init_kernels("r");
  const std::string head = fixture.git("r", {"rev-parse", "HEAD"});
  fixture.git("r", {"worktree", "add", "-q", "-b", "topic", "../w", first});
  fixture.write("r/kernels/a/k.cu", "edited and longer\n");
  const Repository repository = Repository::open(fixture.path("w"));
  CHECK(repository.root() == fixture.path("w"));
  CHECK(repository.resolve("HEAD") == first);
  CHECK(repository.resolve("main") == head);  // checked out elsewhere
  CHECK(repository.resolve("topic") == first);
  CHECK(repository.merge_base("HEAD", head) == std::nullopt);  // full digits only
  CHECK(repository.merge_base(first, head) == first);
  CHECK_FALSE(repository.dirty());
  CHECK(Repository::open(fixture.path("r")).dirty());
  CHECK(content_of(*repository.working_tree(), "kernels/a/k.cu") == "a1\n");
  fixture.write("w/kernels/a/k.cu", "edited here, and longer\n");
  CHECK(repository.dirty());
}
