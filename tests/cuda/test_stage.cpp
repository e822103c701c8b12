#include <algorithm>

#include "base/file.h"
#include "runner/cuda/stage.h"
#include "runner/includes.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;
using namespace kgate::runner::cuda;

namespace {

std::string staged_text(const Stage& stage, const std::string& path) {
  return std::string(text_of(read_file(stage.path(path), 1 << 20)));
}

}  // namespace

TEST_CASE("staged files keep the repository's shape and are named as there") {
  std::string root;
  {
    const Stage stage({{"kernels/a/k.cu", bytes_of("int x;\n")}, {"kernels/common/c.cuh", bytes_of("int y;\n")}});
    root = stage.root();
    CHECK(staged_text(stage, "kernels/a/k.cu") == "#line 1 \"kernels/a/k.cu\"\nint x;\n");
    CHECK(staged_text(stage, "kernels/common/c.cuh") == "#line 1 \"kernels/common/c.cuh\"\nint y;\n");
  }
  CHECK(error_of([&] { read_file(root + "/kernels/a/k.cu", 100); }) != "no error");
}

TEST_CASE("a byte order mark does not come to lie in the middle of a staged file") {
  const Stage stage({{"k.cu", bytes_of("\xEF\xBB\xBFint x;\n")}});
  CHECK(staged_text(stage, "k.cu") == "#line 1 \"k.cu\"\nint x;\n");
}

TEST_CASE("a file that would lie outside the stage is refused") {
  CHECK(error_of([] { Stage({{"../k.cu", bytes_of("")}}); }) != "no error");
  CHECK(error_of([] { Stage({{"/k.cu", bytes_of("")}}); }) != "no error");
}

TEST_CASE("includes by absolute paths and out of the repository are named with file and line") {
  const std::map<std::string, Bytes> files{
      {"kernels/k.cu",
       bytes_of(
           "#include \"common.cuh\"\n # include </etc/passwd>\n#include \"../../x.cuh\"\n#include \"../ok.cuh\"\n")}};
  CHECK(refused_includes(files, {}) ==
        "kernels/k.cu(2): error: includes \"/etc/passwd\" by an absolute path; include declared headers and the "
        "toolkit's own\n"
        "kernels/k.cu(3): error: includes \"../../x.cuh\", which is outside the repository\n");
  CHECK(refused_includes({{"k.cu", bytes_of("int include = 1; // #include \"/x\"\n#define A\n#include \"unfinished")}},
                         {})
            .empty());
  CHECK(refused_includes({{"k.cu", bytes_of("#define M \"/etc/passwd\"\n#include M\n")}}, {}) ==
        "k.cu(2): error: includes what a macro names; name the file itself\n");
}

namespace {

// Of kernels/k.cu, with what is declared beside it.
std::string refused(const std::string& text, const std::vector<std::string>& folders = {}) {
  return refused_includes({{"kernels/k.cu", bytes_of(text)}, {"common/x.cuh", {}}, {"kernels/y.cuh", {}}}, folders);
}

const std::string kAbsolute =
    "error: includes \"/etc/passwd\" by an absolute path; include declared headers and the toolkit's own\n";

}  // namespace

TEST_CASE("an include is seen as the preprocessor sees it: behind comments, splices, digraphs and trigraphs") {
  for (const std::string text :
       {"/**/#include \"/etc/passwd\"", "/* a */ # /* b */ include /* c */ </etc/passwd> // d",
        "%:include \"/etc/passwd\"", "#inc\\\nlude \"/etc/passwd\"", "#inc\\  \r\nlude \"/etc/passwd\"",
        "?\?=include \"/etc/passwd\"", "#inc?\?/\nlude \"/etc/passwd\"", "#import \"/etc/passwd\"",
        "#include_next </etc/passwd>", "#embed \"/etc/passwd\"", "\f\v#\vinclude\"/etc/passwd\"",
        "#/*\n*/include \"/etc/passwd\""}) {
    INFO(text);
    CHECK(refused(text) == "kernels/k.cu(1): " + kAbsolute);
  }
  // Quotes that begin nothing, and text that ends where it looks as if it did not.
  for (const std::string text :
       {"int a = 1'000'000; /* ' */", "char c = '\"';", "auto s = \"/*\";", "auto s = R\"(\n/* \" )\";",
        "auto s = R\"/*(*/)/*\";", "auto s = uR\"x(\n)\" )x\"; // R\"(", "int AR; auto s = FOOR\"(\";", "// \\\n/*",
        "auto s = \"\\\\\"; // /*", "#error don't", "#include <y.cuh> // '", "#define A(x) #x /*\n*/",
        "auto s = R\"(\n#include \"/dev/null\"\n)\";"}) {
    INFO(text);
    const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
    CHECK(refused(text + "\n#include \"/etc/passwd\"\n") ==
          "kernels/k.cu(" + std::to_string(lines + 1) + "): " + kAbsolute);
  }
  for (const std::string text :
       {"/*\n#include \"/etc/passwd\"\n*/", "// \\\n#include \"/etc/passwd\"", "auto s = \"\\\n#include </x>\";"}) {
    INFO(text);
    CHECK(refused(text).empty());
  }
  CHECK(refused("#include <//etc/passwd>") ==
        "kernels/k.cu(1): error: includes \"//etc/passwd\" by an absolute path; include declared headers and the "
        "toolkit's own\n");
}

TEST_CASE("a path that climbs has to be a declared file before a folder that the compiler tries lets it out") {
  const std::string out = "which is outside the repository\n";
  CHECK(refused("#include \"../common/x.cuh\"\n").empty());
  CHECK(refused("#include \"../common/x.cuh\"\n", {"a"}).empty());
  CHECK(refused("#include <../common/x.cuh>\n", {"a"}).empty());
  CHECK(refused("#include <../common/x.cuh>\n", {"", "a"}).find(out) != std::string::npos);
  CHECK(refused("#include \"../common/undeclared.cuh\"\n", {""}).find(out) != std::string::npos);
  CHECK(refused("#include <c/../y.cuh>\n", {"kernels"}).empty());
  // Beneath a/b/c, and out of /usr/include. What is not there and goes nowhere is the compiler's to tell.
  CHECK(refused("#include <../../etc/passwd>\n", {"a/b/c"}) ==
        "kernels/k.cu(1): error: includes \"../../etc/passwd\", which is not declared\n");
  CHECK(refused("#ifdef _WIN32\n#include \"../common/undeclared.cuh\"\n#endif\n", {"a/b"}).empty());
}

TEST_CASE("nobody may ask which machine it is, and whoever asks for declared and standard headers may") {
  CHECK(refused("#if __has_include(\"/etc/passwd\")\n#endif\n") ==
        "kernels/k.cu(1): error: asks for \"/etc/passwd\" by an absolute path; include declared headers and the "
        "toolkit's own\n");
  for (const std::string text :
       {"#elif defined(A) && __has_include( </etc/passwd> )", "#define H __has_include",
        "#define H(x) __has_include(x)", "#if __has_include_next(\"../../x\")", "#if __has_embed(\"/x\")",
        "#if __has_include(NAME)", "#pragma GCC dependency \"/etc/passwd\"",
        "int a; _Pragma(\"GCC dependency \\\"/x\\\"\")", "#line 1 \"/etc/passwd\"", "# 1 \"../../../etc/passwd\" 3"}) {
    INFO(text);
    CHECK(refused(text + "\n") != "");
  }
  CHECK(refused(
            "#if defined(__has_include) && defined __has_include\n#ifdef __has_include\n#if __has_include(<vector>)\n"
            "#if __has_include(\"y.cuh\") || __has_include(\"../common/x.cuh\")\n#line 3 \"gen/k.cu\"\n# 4 \"k.cu\"\n")
            .empty());
}
