#include "gate/verdict/subject/subject.h"

#include <map>

#include "base/memory_tree.h"
#include "tests/support/errors.h"

using namespace kgate;

namespace {

std::shared_ptr<const FileTree> tree_of(const std::map<std::string, std::string>& files, const std::string& name) {
  std::map<std::string, Bytes> bytes;
  for (const auto& [path, content] : files) bytes[path] = bytes_of(content);
  return std::make_shared<MemoryTree>(std::move(bytes), name);
}

// A team that begins: nothing is signed.
trust::Policy lenient() {
  trust::Policy policy;
  policy.unsigned_blocks = false;
  return policy;
}

std::string kernel_toml(const std::string& more = "") {
  return "schema = \"kgate.kernel/1\"\nkind = \"cuda\"\nsources = [\"k.cu\"]\n" + more +
         "[[launch]]\nentry = \"k\"\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\n";
}

std::string cases_toml(const std::string& name, int revision = 1) {
  return "schema = \"kgate.cases/1\"\nkernel = \"" + name + "\"\nrevision = " + std::to_string(revision) +
         "\n[[param]]\nname = \"y\"\nkind = \"out\"\ndtype = \"i32\"\nshape = [\"n\"]\n"
         "[reference]\nsources = [\"r.cu\"]\nentry = \"r\"\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\n"
         "[[case]]\nname = \"one\"\nrole = \"correctness\"\nsizes = { n = 32 }\n";
}

std::map<std::string, std::string> one_kernel(const std::string& name = "k",
                                              const std::string& source = "__global__ void k(int*) {}") {
  return {{"kernels/k/kernel.toml", kernel_toml()},
          {"kernels/k/cases.toml", cases_toml(name)},
          {"kernels/k/k.cu", source},
          {"kernels/k/r.cu", "__global__ void r(int*) {}"}};
}

verdict::SuiteOptions options_of(std::map<std::string, std::string> working, std::map<std::string, std::string> base,
                                 const trust::Policy& policy) {
  verdict::SuiteOptions options;
  options.working = tree_of(working, "working tree");
  options.base = tree_of(base, "commit 1234567890");
  options.base_name = "1234567890 (main)";
  options.policy = &policy;
  static const trust::Keyring no_keys;
  options.keyring = &no_keys;
  return options;
}

}  // namespace

TEST_CASE("the candidate comes from the working tree, the base version and the cases from the base commit") {
  const trust::Policy policy = lenient();
  auto working = one_kernel("k", "__global__ void k(int* y) { y[0] = 1; }");
  working["kernels/k/cases.toml"] = cases_toml("k", 2);
  working["kernels/k/r.cu"] = "an easier reference";
  const auto suite = verdict::read_suite(options_of(working, one_kernel(), policy));
  REQUIRE(suite.subjects.size() == 1);
  const auto& subject = suite.subjects.front();
  CHECK(text_of(subject.candidate.files.at("kernels/k/k.cu")) == "__global__ void k(int* y) { y[0] = 1; }");
  CHECK(text_of(subject.base->files.at("kernels/k/k.cu")) == "__global__ void k(int*) {}");
  CHECK(subject.cases.revision == 1);
  CHECK(text_of(*subject.cases_tree->read("kernels/k/r.cu", 100)) == "__global__ void r(int*) {}");
  CHECK(subject.warnings ==
        std::vector<std::string>{
            "cases.toml differs from the base 1234567890 (main): the base's count until the change is merged"});
}

TEST_CASE("where the base does not decide, the working tree's cases count and the difference is told") {
  const trust::Policy policy = lenient();
  auto working = one_kernel();
  working["kernels/k/cases.toml"] = cases_toml("k", 2);
  auto options = options_of(working, one_kernel(), policy);
  options.base_decides = false;
  const auto suite = verdict::read_suite(options);
  CHECK(suite.subjects.front().cases.revision == 2);
  CHECK(suite.subjects.front().warnings ==
        std::vector<std::string>{"cases.toml differs from the last commit: the working tree's count here, not in CI"});
}

TEST_CASE("a kernel that the base does not have has no base version, and one that vanished is told") {
  const trust::Policy policy = lenient();
  const auto suite = verdict::read_suite(options_of(one_kernel("young"), one_kernel("old"), policy));
  REQUIRE(suite.subjects.size() == 1);
  CHECK(suite.subjects.front().name == "young");
  CHECK_FALSE(suite.subjects.front().base);
  REQUIRE(suite.vanished.size() == 1);
  CHECK(suite.vanished.front().name == "old");
  CHECK(suite.vanished.front().reason == "the base 1234567890 (main) has it, this tree does not");
}

TEST_CASE("a selection that names nothing is missing, with the nearest name") {
  const trust::Policy policy = lenient();
  auto options = options_of(one_kernel("softmax"), one_kernel("softmax"), policy);
  options.selection = {"sotfmax"};
  CHECK(error_of([&] { verdict::read_suite(options); }) ==
        "missing: kernel \"sotfmax\": is neither in the working tree nor in the base nor in the ledger; did you mean "
        "\"softmax\"?");
}

TEST_CASE("a repository without kernels is missing, not a pass") {
  const trust::Policy policy = lenient();
  CHECK(error_of([&] { verdict::read_suite(options_of({}, {}, policy)); }) ==
        "missing: working tree: no file matches \"kernels/**/kernel.toml\"; add a kernel.toml, or change `kernels` in "
        ".kgate/policy.toml");
}

TEST_CASE("two kernels of one name are refused") {
  const trust::Policy policy = lenient();
  auto working = one_kernel();
  for (const auto& [path, content] : one_kernel()) working["kernels/l" + path.substr(9)] = content;
  CHECK(error_of([&] { verdict::read_suite(options_of(working, {}, policy)); }) ==
        "untrusted: kernels/l/cases.toml: kernel \"k\" is declared by kernels/k/cases.toml too; give each kernel a "
        "name of "
        "its own");
}

TEST_CASE("a kernel without cases is told where they belong") {
  const trust::Policy policy = lenient();
  auto working = one_kernel();
  working.erase("kernels/k/cases.toml");
  CHECK(error_of([&] { verdict::read_suite(options_of(working, {}, policy)); }) ==
        "usage: kernels/k/cases.toml: is missing in the working tree; a kernel needs its cases beside it, as a plain "
        "file; see "
        "docs/cases-toml.md");
}

TEST_CASE("an option that the policy does not allow is refused in the candidate") {
  const trust::Policy policy = lenient();
  auto working = one_kernel();
  working["kernels/k/kernel.toml"] = kernel_toml("options = [\"--device-debug\"]\n");
  CHECK(error_of([&] { verdict::read_suite(options_of(working, one_kernel(), policy)); }) ==
        "usage: kernels/k/kernel.toml: option \"--device-debug\" is not on the policy's allow list; remove it, or let "
        "the platform team add it "
        "to [compile] allow_options");
}

TEST_CASE("a token that the policy forbids, or that makes every build differ, is refused with its line") {
  trust::Policy policy = lenient();
  auto working =
      one_kernel("k", "// __DATE__ in a comment is fine\n__global__ void k(int*) {}\nconst char* built = __DATE__;\n");
  const auto message = error_of([&] { verdict::read_suite(options_of(working, one_kernel(), policy)); });
  CHECK(message.find("__DATE__") != std::string::npos);
  CHECK(message.find("3") != std::string::npos);
  CHECK(message.starts_with("usage: kernels/k/k.cu"));
}
