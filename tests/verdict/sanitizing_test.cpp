// The whole way from a candidate to findings, with a script in the place of compute-sanitizer: it runs the child, as
// the tool does, and prints what it is told to print.
#include "gate/verdict/sanitizing.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/memory_tree.h"
#include "fingerprint/toolkit.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;
using verdict::Verdict;

namespace {

constexpr const char* kTool = R"(#!/bin/sh
while [ "$1" != -- ]; do
  case $1 in --tool) tool=$2 ;; --log-file) log=$2 ;; esac
  shift
done
shift
echo "a word of the program's own"
"$@"
code=$?
printf '========= COMPUTE-SANITIZER\n' > "$log"
if [ -f "$0.$tool" ]; then cat "$0.$tool" >> "$log"; else printf '========= ERROR SUMMARY: 0 errors\n' >> "$log"; fi
echo "$tool $code $(basename "$(dirname "$log")" | cut -c1-14)" >> "$0.log"
)";

constexpr const char* kRead = R"(========= Invalid __global__ read of size 4 bytes
=========     at k(int *)+0x70 in /stage/kernels/k/k.cu:3
=========     by thread (31,0,0) in block (0,0,0)
=========
========= ERROR SUMMARY: 1 error
)";

std::map<std::string, std::string> files() {
  return {{"kernels/k/kernel.toml",
           "schema = \"kgate.kernel/1\"\nkind = \"cuda\"\nsources = [\"k.cu\"]\n[[launch]]\nentry = \"k\"\n"
           "grid = [1, 1, 1]\nblock = [32, 1, 1]\n"},
          {"kernels/k/cases.toml",
           "schema = \"kgate.cases/1\"\nkernel = \"k\"\nrevision = 1\n"
           "[[param]]\nname = \"y\"\nkind = \"out\"\ndtype = \"i32\"\nshape = [\"n\"]\n"
           "[reference]\nsources = [\"r.cu\"]\nentry = \"r\"\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\n"
           "[[case]]\nname = \"one\"\nrole = \"correctness\"\nsizes = { n = 32 }\n"
           "[[case]]\nname = \"two\"\nrole = \"correctness\"\nsizes = { n = 32 }\n"
           "[[case]]\nname = \"fast\"\nrole = \"performance\"\nsizes = { n = 32 }\n"},
          {"kernels/k/k.cu", "__global__ void k(int* y) {\n\n  y[threadIdx.x] = threadIdx.x;\n}\n"},
          {"kernels/k/r.cu", "__global__ void r(int*) {}"}};
}

class Bench {
 public:
  Bench() {
    write_file_atomic(tool_, kTool);
    std::filesystem::permissions(tool_, std::filesystem::perms::owner_all);
    std::map<std::string, Bytes> bytes;
    for (const auto& [path, content] : files()) bytes[path] = bytes_of(content);
    const auto tree = std::make_shared<MemoryTree>(std::move(bytes), "working tree");
    trust::Policy policy;
    policy.unsigned_blocks = false;
    const trust::Keyring no_keys;
    verdict::SuiteOptions options;
    options.working = options.base = tree;
    options.base_name = "base";
    options.policy = &policy;
    options.keyring = &no_keys;
    suite_ = verdict::read_suite(options);
    child_.runner = KGATE_RUNNER;
    child_.backend = "host";
  }

  // What a tool reports instead of "0 errors".
  void report(const std::string& tool, const std::string& text) const {
    write_file_atomic(tool_.string() + "." + tool, text);
  }

  const verdict::Subject& subject() const { return suite_.subjects.at(0); }

  verdict::Artifact code(const fingerprint::Toolkit& toolkit) const {
    verdict::CompilerOptions compiler;
    compiler.child = child_;
    compiler.child.compiles = compiler.toolkit = {toolkit.nvrtc, toolkit.include_dirs, toolkit.host_compiler};
    return verdict::compile_with_lines({&subject()}, compiler).at(0);
  }

  verdict::Sanitized run(const verdict::Artifact& code) const {
    verdict::SanitizeOptions options;
    options.program = tool_.string();
    options.child = child_;
    options.scratch = folder_.path();
    return verdict::sanitize_kernel(subject(), code, options);
  }

  // A line for each start of the tool.
  std::vector<std::string> starts() const {
    const std::string text(text_of(read_file(tool_.string() + ".log", 1 << 20)));
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      lines.push_back(text.substr(at, text.find('\n', at) - at));
    return lines;
  }

 private:
  TemporaryFolder folder_{"kgate-test"};
  std::filesystem::path tool_ = folder_.path() / "compute-sanitizer";
  runner::ClientOptions child_;
  verdict::Suite suite_;
};

verdict::KernelResult checked() {
  verdict::KernelResult kernel;
  for (const char* name : {"one", "two", "fast"}) {
    verdict::CaseResult one;
    one.name = name;
    kernel.cases.push_back(one);
  }
  return kernel;
}

}  // namespace

TEST_CASE("the correctness cases of a clean kernel run under every tool, each to its end") {
  const auto toolkit = fingerprint::find_toolkit({});
  if (toolkit.host_compiler.empty()) KGATE_SKIP("no C++ compiler was found on this machine");
  const Bench bench;
  const auto code = bench.code(toolkit);
  REQUIRE(code != nullptr);
  const auto found = bench.run(code);
  CHECK(found.trouble == "");
  CHECK(found.findings.empty());
  // The child ended by itself: 0.
  CHECK(bench.starts() == std::vector<std::string>{"memcheck 0 kgate-observed", "memcheck 0 kgate-observed",
                                                   "synccheck 0 kgate-observed", "synccheck 0 kgate-observed",
                                                   "initcheck 0 kgate-observed", "initcheck 0 kgate-observed",
                                                   "racecheck 0 kgate-observed", "racecheck 0 kgate-observed"});
}

TEST_CASE("an error makes its case wrong with the place, and the next tool goes on") {
  const auto toolkit = fingerprint::find_toolkit({});
  if (toolkit.host_compiler.empty()) KGATE_SKIP("no C++ compiler was found on this machine");
  const Bench bench;
  bench.report("memcheck", kRead);
  const auto found = bench.run(bench.code(toolkit));
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].kernel == "k");
  CHECK(found.findings[0].case_name == "one");
  CHECK(found.findings[0].file == "kernels/k/k.cu");
  CHECK(found.findings[0].line == 3);
  CHECK(bench.starts().size() == 7);
  auto kernel = checked();
  verdict::add_sanitized(kernel, found);
  CHECK(kernel.cases[0].verdict == Verdict::wrong);
  CHECK(kernel.cases[0].reason ==
        "memcheck: kernels/k/k.cu:3: Invalid __global__ read of size 4 bytes, at k(int *)+0x70 in "
        "/stage/kernels/k/k.cu:3, by thread (31,0,0) in block (0,0,0)");
  CHECK(kernel.cases[1].verdict == Verdict::pass);
}

TEST_CASE("a warning is told and makes nothing wrong") {
  verdict::Sanitized found;
  found.findings.push_back({"racecheck", "race", "warning", "k", "one", "k.cu", 7, "Race reported", 4});
  auto kernel = checked();
  verdict::add_sanitized(kernel, found);
  CHECK(kernel.cases[0].verdict == Verdict::pass);
  CHECK(kernel.warnings == std::vector<std::string>{"case \"one\": racecheck: k.cu:7: Race reported (4 times)"});
}

TEST_CASE("a tool that says nothing, or that does not start, is trouble, never a pass") {
  const auto toolkit = fingerprint::find_toolkit({});
  if (toolkit.host_compiler.empty()) KGATE_SKIP("no C++ compiler was found on this machine");
  const Bench bench;
  bench.report("initcheck", "========= Error: No attachable process found. compute-sanitizer timed-out.\n");
  const auto found = bench.run(bench.code(toolkit));
  CHECK(found.findings.empty());
  CHECK(found.trouble ==
        "initcheck: case \"one\": Error: No attachable process found. compute-sanitizer timed-out.; it printed: a word "
        "of "
        "the program's own");
}
