// The whole way from a candidate to findings, with a script in the place of compute-sanitizer.
#include "gate/verdict/check/sanitizing.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/memory_tree.h"
#include "fingerprint/toolkit.h"
#include "tests/support/catch.h"
#include "tests/support/fake_compute_sanitizer.h"
#include "tests/support/skip.h"

using namespace kgate;
using verdict::Verdict;

namespace {

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
  TemporaryFolder folder_{"kgate-test"};

 public:
  Bench() {
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

  FakeComputeSanitizer tool{folder_.path()};
  double start_limit_s = 60, end_limit_s = 60;

  const verdict::Subject& subject() const { return suite_.subjects.at(0); }

  verdict::Artifact code(const fingerprint::Toolkit& toolkit) const {
    verdict::CompilerOptions compiler;
    compiler.child = child_;
    compiler.child.compiles = compiler.toolkit = {toolkit.nvrtc, toolkit.include_dirs, toolkit.host_compiler};
    return verdict::compile_with_lines({&subject()}, compiler).at(0);
  }

  verdict::Sanitized run(const verdict::Artifact& code) const {
    verdict::SanitizeOptions options;
    options.program.path = tool.program().string();
    options.start_limit_s = start_limit_s;
    options.end_limit_s = end_limit_s;
    options.child = child_;
    options.scratch = folder_.path();
    return verdict::sanitize_kernel(subject(), code, options);
  }

 private:
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
  CHECK(bench.tool.starts() == std::vector<std::string>{"memcheck 0 kgate-observed", "memcheck 0 kgate-observed",
                                                        "synccheck 0 kgate-observed", "synccheck 0 kgate-observed",
                                                        "initcheck 0 kgate-observed", "initcheck 0 kgate-observed",
                                                        "racecheck 0 kgate-observed", "racecheck 0 kgate-observed"});
}

TEST_CASE("an error makes its case wrong with the place, and the next tool goes on") {
  const auto toolkit = fingerprint::find_toolkit({});
  if (toolkit.host_compiler.empty()) KGATE_SKIP("no C++ compiler was found on this machine");
  const Bench bench;
  bench.tool.report("memcheck", kRead);
  const auto found = bench.run(bench.code(toolkit));
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].kernel == "k");
  CHECK(found.findings[0].case_name == "one");
  CHECK(found.findings[0].file == "kernels/k/k.cu");
  CHECK(found.findings[0].line == 3);
  CHECK(bench.tool.starts().size() == 7);
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
  bench.tool.report("initcheck", "========= Error: No attachable process found. compute-sanitizer timed-out.\n");
  const auto found = bench.run(bench.code(toolkit));
  CHECK(found.findings.empty());
  CHECK(found.trouble ==
        "initcheck: case \"one\": Error: No attachable process found. compute-sanitizer timed-out.; it printed: a word "
        "of "
        "the program's own");
}

TEST_CASE("a tool that crashes, hangs or prints rubbish is trouble, never a pass") {
  const auto toolkit = fingerprint::find_toolkit({});
  if (toolkit.host_compiler.empty()) KGATE_SKIP("no C++ compiler was found on this machine");
  Bench bench;
  const auto code = bench.code(toolkit);
  REQUIRE(code != nullptr);
  const auto trouble = [&] {
    const auto found = bench.run(code);
    CHECK(found.findings.empty());
    return found.trouble;
  };
  SECTION("before it starts the child") {
    bench.tool.behave_at_once("kill -SEGV $$\n");
    CHECK(trouble() ==
          "memcheck: case \"one\": memcheck ended without a summary; the child: loading it: the process crashed "
          "(SIGSEGV)");
    bench.tool.behave_at_once("echo \"unrecognised option '--padding'\"\nexit 1\n");
    CHECK(trouble() ==
          "memcheck: case \"one\": memcheck ended without a summary; it printed: unrecognised option '--padding'; the "
          "child: loading it: the process ended by itself with code 1");
    bench.start_limit_s = 0.3;
    bench.tool.behave_at_once("sleep 100\n");
    CHECK(trouble() ==
          "memcheck: case \"one\": memcheck ended without a summary; the child: loading it: the process did not finish "
          "within 0.3 s");
  }
  SECTION("after the child has ended") {
    bench.tool.behave("kill -SEGV $$\n");
    CHECK(trouble().find("memcheck: case \"one\": memcheck ended without a summary") == 0);
    bench.tool.behave("head -c 3000 /dev/urandom > \"$log\"\nexit 0\n");
    CHECK(trouble().find("memcheck: case \"one\": memcheck ended without a summary") == 0);
    bench.tool.behave("mkdir \"$log\"\nexit 0\n");
    CHECK(trouble().find("memcheck: case \"one\": memcheck ended without a summary") == 0);
    bench.end_limit_s = 0.3;
    bench.tool.behave("sleep 100\n");
    CHECK(
        trouble().find("memcheck ended without a summary; it printed: a word of the program's own; the child: the tool "
                       "did not end within 0.3 s after it") != std::string::npos);
  }
  SECTION("after a clean report") {
    bench.tool.behave("printf '========= ERROR SUMMARY: 0 errors\\n' > \"$log\"\nexit 9\n");
    CHECK(trouble() == "memcheck: case \"one\": the tool ended with code 9");
    bench.tool.behave("printf '========= ERROR SUMMARY: 0 errors\\n' > \"$log\"\nkill -ABRT $$\n");
    CHECK(trouble() == "memcheck: case \"one\": the tool was ended by signal 6");
  }
}

TEST_CASE("a warning in a report that breaks off is told, and the tool's silence about the rest is trouble") {
  const auto toolkit = fingerprint::find_toolkit({});
  if (toolkit.host_compiler.empty()) KGATE_SKIP("no C++ compiler was found on this machine");
  const Bench bench;
  bench.tool.report("racecheck",
                    "========= Warning: Race reported between Read access at k(int *)+0x20 in kernels/k/k.cu:3\n"
                    "=========     and Write access at k(int *)+0x40 in kernels/k/k.cu:3 [4 hazards]\n");
  const auto found = bench.run(bench.code(toolkit));
  CHECK(found.findings.size() == 2);  // of two cases
  CHECK(found.trouble.find("racecheck: case \"one\": racecheck ended without a summary") == 0);
}
