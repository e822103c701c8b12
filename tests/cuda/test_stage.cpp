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

TEST_CASE("an include that climbs is fine when one of the include folders reaches it") {
  CHECK(refused_includes({{"k.cu", bytes_of("#include \"../x.cuh\"\n")}}, {"a/b"}).empty());
}
