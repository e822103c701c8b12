#include <filesystem>

#include "base/file.h"
#include "gate/cases/sources.h"
#include "tests/cases/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using kgate::bytes_of;
using kgate::cases::forbidden_token;
using kgate::cases::read_sources;
using kgate::cases::SourceSet;
using kgate::cases::substitute_defines;
using kgate::test::MemoryTree;

namespace {

const char* const kFile = "k/kernel.toml";

std::vector<std::string> names(const std::map<std::string, kgate::Bytes>& files) {
  std::vector<std::string> result;
  for (const auto& [path, content] : files) result.push_back(path);
  return result;
}

MemoryTree small_tree() {
  return MemoryTree({{"k/a.cu", bytes_of("a")},
                     {"k/x.cuh", bytes_of("x")},
                     {"k/deep/y.cuh", bytes_of("y")},
                     {"k/notes.txt", bytes_of("n")},
                     {"common/z.cuh", bytes_of("z")}});
}

}  // namespace

TEST_CASE("declared sources and the headers that match are read, and nothing else") {
  SourceSet set;
  set.sources = {"k/a.cu"};
  set.headers = {"k/*.cuh", "common/z.cuh"};
  const auto files = read_sources(set, small_tree(), kFile);
  CHECK(names(files) == std::vector<std::string>{"common/z.cuh", "k/a.cu", "k/x.cuh"});
  CHECK(files.at("k/a.cu") == bytes_of("a"));
  set.headers = {"k/**/*.cuh"};
  CHECK(names(read_sources(set, small_tree(), kFile)) == std::vector<std::string>{"k/a.cu", "k/deep/y.cuh", "k/x.cuh"});
  set.headers = {"**"};
  CHECK(read_sources(set, small_tree(), kFile).size() == 5);
}

TEST_CASE("a missing source, a pattern without match and a large file name the file that declares them") {
  SourceSet set;
  set.sources = {"k/b.cu"};
  CHECK(error_of([&] { read_sources(set, small_tree(), kFile); }) ==
        "usage: k/kernel.toml: source \"k/b.cu\" is not in the test's tree; add the file, or correct sources");
  set.sources = {"k/a.cu"};
  set.headers = {"k/*.h"};
  CHECK(error_of([&] { read_sources(set, small_tree(), kFile); }) ==
        "usage: k/kernel.toml: headers \"k/*.h\" match no file in the test's tree; correct the pattern, or remove it");
  set.headers = {"k/none.h"};
  CHECK(
      error_of([&] { read_sources(set, small_tree(), kFile); }) ==
      "usage: k/kernel.toml: headers \"k/none.h\" match no file in the test's tree; correct the pattern, or remove it");
  const MemoryTree large({{"k/a.cu", kgate::Bytes((4 << 20) + 1)}});
  set.headers.clear();
  CHECK(error_of([&] { read_sources(set, large, kFile); }) == "usage: k/kernel.toml: \"k/a.cu\" is too large");
}

TEST_CASE("a header whose name no #include can say is refused by its name, and only where a pattern means it") {
  SourceSet set;
  set.sources = {"k/a.cu"};
  set.headers = {"k/*.h"};
  const auto error = [&](const char* name) {
    const MemoryTree tree({{"k/a.cu", {}}, {"k/b.h", {}}, {name, {}}});
    return error_of([&] { read_sources(set, tree, kFile); });
  };
  const std::string remedy = "; rename it, or narrow the pattern";
  CHECK(error("k/c\nd.h") ==
        "usage: k/kernel.toml: headers \"k/*.h\" match \"k/c\\x0ad.h\", which has a control "
        "character in its name" +
            remedy);
  CHECK(error("k/\x7f.h").find("which has a control character in its name") != std::string::npos);
  CHECK(error("k/c\"d.h").find("which has a double quote in its name" + remedy) != std::string::npos);
  CHECK(error("k/c d.h") == "no error");
  CHECK(error("k/c\"d.txt") == "no error");
}

TEST_CASE("sources together are at most 64 MiB") {
  std::map<std::string, kgate::Bytes> files;
  for (int i = 0; i < 17; ++i) files.emplace("k/" + std::to_string(i) + ".cuh", kgate::Bytes(4 << 20));
  SourceSet set;
  set.sources = {"k/0.cuh"};
  set.headers = {"k/*.cuh"};
  CHECK(error_of([&] { read_sources(set, MemoryTree(files), kFile); }) ==
        "usage: k/kernel.toml: its sources and headers are more than 64 MiB or 4096 files together; narrow the "
        "patterns of headers");
}

TEST_CASE("a source that is a link is refused") {
  const kgate::TemporaryFolder folder("kgate-test-sources");
  std::filesystem::create_directory(folder.path() / "k");
  std::filesystem::create_symlink("/etc/hostname", folder.path() / "k" / "a.cu");
  SourceSet set;
  set.sources = {"k/a.cu"};
  CHECK(error_of([&] { read_sources(set, kgate::FolderTree(folder.path()), kFile); }) ==
        "untrusted: k/kernel.toml: \"k/a.cu\" is a symbolic link, or lies behind one; put the file itself there");
}

TEST_CASE("defines are substituted in an entry as whole identifiers, once") {
  const std::map<std::string, std::string> defines{{"BLOCK", "256"}, {"T", "float"}, {"U", "T"}};
  CHECK(substitute_defines("softmax", defines) == "softmax");
  CHECK(substitute_defines("softmax<BLOCK>", defines) == "softmax<256>");
  CHECK(substitute_defines("ns::k<BLOCK, T, BLOCKS, xT, T1>", defines) == "ns::k<256, float, BLOCKS, xT, T1>");
  CHECK(substitute_defines("k<U>", defines) == "k<T>");
  CHECK(substitute_defines("k<1T>", defines) == "k<1T>");
  CHECK(substitute_defines("", defines).empty());
}

TEST_CASE("forbidden tokens are found in code, with their line") {
  const std::vector<std::string> tokens{"__DATE__", "__TIME__"};
  CHECK(forbidden_token("int a;\nconst char* d = __DATE__;\n", tokens) == "\"__DATE__\" in line 2");
  CHECK(forbidden_token("x = __TIME__; y = __DATE__;", tokens) == "\"__TIME__\" in line 1");
  CHECK(forbidden_token("__DA\\\nTE__", tokens) == "\"__DATE__\" in line 1");
  CHECK(forbidden_token("/* a\nb */ __DATE__", tokens) == "\"__DATE__\" in line 2");
  CHECK(forbidden_token("'\"' __DATE__ '\"'", tokens) == "\"__DATE__\" in line 1");
  CHECK(forbidden_token("\"a\\\"\" __DATE__", tokens) == "\"__DATE__\" in line 1");
  CHECK(forbidden_token("n = 1'000'000 + __DATE__;", tokens) == "\"__DATE__\" in line 1");
  CHECK(forbidden_token("R\"x(a)\" )x\" __DATE__", tokens) == "\"__DATE__\" in line 1");
  CHECK(forbidden_token("asm volatile(\"\");", {"asm"}) == "\"asm\" in line 1");
  CHECK(forbidden_token("a = b ? c :: d : e;\nf<<<1, 2>>>();", {"<<<"}) == "\"<<<\" in line 2");
}

TEST_CASE("forbidden tokens in comments, strings and longer names are no finding") {
  const std::vector<std::string> tokens{"__DATE__", "<<<"};
  for (const char* text :
       {"", "// __DATE__ <<<", "/* __DATE__ */ x", "// a \\\n __DATE__", "\"__DATE__ <<<\"", "u8\"__DATE__\"",
        "x__DATE__ __DATE__x", "R\"(__DATE__\n\" __DATE__)\"", "LR\"ab(__DATE__)ab\"", "\"\\\" __DATE__\"",
        "'\\'' + \"__DATE__\"", "/* never closed __DATE__", "R\"(never closed __DATE__", "\"a\\\n__DATE__\""}) {
    INFO(text);
    CHECK(forbidden_token(text, tokens) == std::nullopt);
  }
  CHECK(forbidden_token("anything", {}) == std::nullopt);
  CHECK(forbidden_token("anything", {""}) == std::nullopt);
}

TEST_CASE("every place of a token is found, in the text's order") {
  const auto places = kgate::cases::find_tokens("b();\n// a\na(); b<<<1>>>();\na();", {"a", "b", "<<<"});
  std::string told;
  for (const auto& place : places) told += place.token + std::to_string(place.line) + " ";
  CHECK(told == "b1 a3 b3 <<<3 a4 ");
}
