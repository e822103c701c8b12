#include "gate/cases/case_files.h"
#include "tests/cases/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using Names = std::vector<std::string>;

namespace {

test::MemoryTree tree_of(const std::map<std::string, std::string>& texts) {
  std::map<std::string, Bytes> files;
  for (const auto& [path, text] : texts) files[path] = bytes_of(text);
  return test::MemoryTree(std::move(files));
}

constexpr const char* kPath = "kernels/softmax/cases.toml";

}  // namespace

TEST_CASE("the files of cases are cases.toml, the reference with its headers, and all data") {
  const std::string text = test::edited(
      test::edited(test::edited(test::kCases, "sources = [\"reference.cu\"]",
                                "sources = [\"reference.cu\"]\nheaders = [\"*.cuh\", \"../common/shapes.cuh\"]"),
                   "inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { file = \"x.npy\" } }"),
      "inputs = { x = { uniform = [-1, 1] } }",
      "inputs = { x = { safetensors = [\"../data/x.safetensors\", \"x\"] } }\nexpected = { y = \"y.npy\" }");
  const auto cases = cases::parse_cases(text, kPath);
  const auto tree = tree_of({{kPath, text},
                             {"kernels/softmax/reference.cu", ""},
                             {"kernels/softmax/a.cuh", ""},
                             {"kernels/softmax/softmax.cu", "not the cases'"},
                             {"kernels/common/shapes.cuh", ""},
                             {"kernels/common/other.cuh", ""}});
  const auto files = cases::files_of(cases, tree);
  CHECK(files == Names{"kernels/common/shapes.cuh", "kernels/data/x.safetensors", "kernels/softmax/a.cuh", kPath,
                       "kernels/softmax/reference.cu", "kernels/softmax/x.npy", "kernels/softmax/y.npy"});
  Names names;
  for (const auto& path : files) names.push_back(cases::name_in(cases, path));
  CHECK(names == Names{"../common/shapes.cuh", "../data/x.safetensors", "a.cuh", "cases.toml", "reference.cu", "x.npy",
                       "y.npy"});
  for (std::size_t i = 0; i < files.size(); ++i) CHECK(join_beneath("kernels/softmax", names[i]) == files[i]);
}

TEST_CASE("the content that an inout begins with is one of the files, and cases at the root have plain names") {
  const std::string text = test::edited(
      test::edited(
          test::kCases, "kind = \"out\"\ndtype = \"f32\"\nshape = [\"rows\", \"cols\"]",
          "kind = \"inout\"\ndtype = \"f32\"\nshape = [\"rows\", \"cols\"]\ninit = { file = \"data/y0.npy\" }"),
      "out_dtype = { y = \"f64\" }", "");
  const auto cases = cases::parse_cases(text, "cases.toml");
  const auto files = cases::files_of(cases, tree_of({{"reference.cu", ""}}));
  CHECK(files == Names{"cases.toml", "data/y0.npy", "reference.cu"});
  CHECK(cases::name_in(cases, "data/y0.npy") == "data/y0.npy");
}

TEST_CASE("a reference's source that is not there is told") {
  const auto cases = cases::parse_cases(test::kCases, kPath);
  CHECK(error_of([&] { cases::files_of(cases, tree_of({})); }) ==
        "usage: kernels/softmax/cases.toml: source \"kernels/softmax/reference.cu\" is not in the test's tree; add the "
        "file, or correct sources");
}

TEST_CASE("cases are found beside the kernels that the policy's patterns match, by their names") {
  const auto tree = tree_of({{"kernels/a/kernel.toml", "rubbish"},
                             {"kernels/a/cases.toml", "kernel = \"first\"\nmore = 1"},
                             {"kernels/b/deep/kernel.toml", ""},
                             {"kernels/b/deep/cases.toml", "kernel = \"second\""},
                             {"other/kernel.toml", ""},
                             {"kernels/c/cases.toml", "kernel = \"alone\""}});
  CHECK(cases::find_cases(tree, {"kernels/**/kernel.toml", "kernels/a/*.toml"}) ==
        std::map<std::string, std::string>{{"first", "kernels/a/cases.toml"}, {"second", "kernels/b/deep/cases.toml"}});
}

TEST_CASE("a kernel without cases, and two kernels of one name, are told") {
  CHECK(error_of([] {
          cases::find_cases(tree_of({{"k/kernel.toml", ""}}), {"k/kernel.toml"});
        }) ==
        "usage: k/cases.toml: is not in the test's tree; a kernel needs its cases beside it; see docs/cases-toml.md");
  const auto twice = tree_of({{"a/kernel.toml", ""},
                              {"a/cases.toml", "kernel = \"k\""},
                              {"b/kernel.toml", ""},
                              {"b/cases.toml", "kernel = \"k\""}});
  CHECK(error_of([&] { cases::find_cases(twice, {"**/kernel.toml"}); }) ==
        "usage: b/cases.toml: kernel \"k\" is declared by a/cases.toml too; give each kernel a name of its own");
}
