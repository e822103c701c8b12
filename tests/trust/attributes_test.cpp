// .gitattributes, read as git reads it: every answer is compared with that of git check-attr.
#include "gate/trust/attributes.h"

#include "base/file_tree.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/git_fixture.h"

using kgate::trust::attributes_of;

namespace {

struct Attributed {
  GitFixture fixture;
  Attributed() { fixture.init("r"); }

  std::string ours(const std::string& path) const {
    const kgate::FolderTree folder(fixture.path("r"));
    std::string text;
    const auto read = [&](const std::string& file) { return folder.read(file, kgate::trust::kMaxAttributes); };
    const auto found = attributes_of(path, read);
    for (const char* name : {"filter", "ident"}) {
      const auto value = found.find(name);
      text += (value == found.end() ? "-" : value->second) + " ";
    }
    return text;
  }

  std::string gits(const std::string& path) const {
    std::string text;
    for (const char* name : {"filter", "ident"}) {
      const std::string said = fixture.git("r", {"check-attr", name, "--", path});
      const std::string value = said.substr(said.rfind(": ") + 2);
      text += (value == "unspecified" ? "-" : value == "set" ? "true" : value == "unset" ? "false" : value) + " ";
    }
    return text;
  }
};

}  // namespace

TEST_CASE("attributes are what git says they are, whatever the patterns and macros") {
  const Attributed in;
  const auto texts = {
      "*.cu filter=lfs ident\n",
      "!*.npy filter=lfs\n",  // which git ignores, with a warning
      "a/b/k.cu filter=lfs\n",
      "/k.cu filter=lfs\n",
      "k.cu filter=lfs -ident\n*.cu !filter ident\n",
      "a/ filter=lfs\na/* ident\n",
      "a/** filter=lfs\n**/b ident\n",
      "**/k.cu filter=lfs\na/**/k.cu ident\n",
      "a**k.cu filter=lfs\n**.cu ident\n",
      "*.[ch]u filter=lfs\n[!k]*.cu ident\n",
      "\"k.cu\" filter=lfs\n\"a b.cu\" ident\n",
      "\"\\153.cu\" ident\n  \t*.cu\tfilter=lfs\t ident \r\n",
      "# *.cu filter=lfs\n\n   # ident\n",
      "[attr]big filter=lfs -ident\n*.cu big\n",
      "[attr]big filter=lfs\n[attr]bigger big ident\n*.cu bigger -big\n",
      "[attr]big filter=lfs\n*.cu big filter=none\n",
      "[attr] filter=lfs\n[attr]!x filter=lfs\n*.cu x\n",
      "*.cu filter=lfs =x\n",
      "*.cu filter=lfs @\n*.cu ident -\n",
      "\xEF\xBB\xBF*.cu filter=lfs\n",
      "*.cu filter\n*.cu ident=yes\n",
      "*.CU filter=lfs\nK* ident\n",
      "\\k.cu filter=lfs\nk.cu\\ ident\n",
      "a filter=lfs\n? ident\n",
      "a/*/k.cu filter=lfs\na/?/k.cu ident\n",
      "a/*.cu filter=lfs\n*/k.cu ident\n",
      "* filter=lfs\n",
      "*.cu binary filter=lfs\n",
      "*.cu filter=lfs",
      "./k.cu filter=lfs\n//k.cu ident\n",
  };
  for (const std::string text : texts) {
    INFO(text);
    in.fixture.write("r/.gitattributes", text);
    for (const std::string path :
         {"k.cu", "a/k.cu", "a/b/k.cu", "b/a/k.cu", "a b.cu", "t", "a/x", "x.npy", "b/c/d.hu"}) {
      INFO(path);
      std::string answer;
      const std::string error = error_of([&] { answer = in.ours(path); });
      // Refused or alike, and never another answer than git's.
      if (error == "no error") CHECK(answer == in.gits(path));
    }
  }
}

TEST_CASE("the nearest folder's file decides, line by line from its end, and macros are the top folder's alone") {
  const Attributed in;
  in.fixture.write("r/.gitattributes", "[attr]big filter=lfs\n*.cu filter=top ident\nk.h big\n");
  in.fixture.write("r/a/.gitattributes", "[attr]big filter=other\nk.cu filter=near\nb/k.cu -ident\n/k.h big\n");
  in.fixture.write("r/a/b/.gitattributes", "k.cu !filter\n");
  for (const std::string path : {"k.cu", "a/k.cu", "a/b/k.cu", "a/k.h", "a/b/k.h", "k.h", "b/k.cu"}) {
    INFO(path);
    CHECK(in.ours(path) == in.gits(path));
  }
  CHECK(in.ours("a/k.cu") == "near true ");
  CHECK(in.ours("a/k.h") == "lfs - ");
}

TEST_CASE("a line that versions of git take differently is refused by its number") {
  const Attributed in;
  const std::string remedy = "; write it plainly, for kgate and git alike";
  const auto error = [&](const std::string& text) {
    in.fixture.write("r/.gitattributes", "\n" + text);
    return error_of([&] { in.ours("k.cu"); });
  };
  CHECK(error("*.cu filter=lfs " + std::string(2048, ' ') + "\n") ==
        "untrusted: .gitattributes:2: is so long a line that only some versions of git read it" + remedy);
  CHECK(error("#" + std::string(4000, ' ') + "\n") == "no error");
  CHECK(error("\"k.cu filter=lfs\n") ==
        "untrusted: .gitattributes:2: begins with a quote that kgate cannot read" + remedy);
  CHECK(error("*.[cu filter=lfs\n") == "untrusted: .gitattributes:2: has a bracket that does not end" + remedy);
  CHECK(error("*.cu filter=lfs builtin_x\n") ==
        "untrusted: .gitattributes:2: is a line that only old versions of git read" + remedy);
}
