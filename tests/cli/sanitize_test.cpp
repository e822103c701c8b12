// kgate check --sanitize as a user calls it, with a script in the place of compute-sanitizer.
#include <chrono>
#include <thread>

#include <signal.h>

#include "fingerprint/compute_sanitizer.h"
#include "fingerprint/toolkit.h"
#include "tests/cli/cli_fixture.h"
#include "tests/cli/fake_gpu.h"
#include "tests/support/catch.h"
#include "tests/support/fake_compute_sanitizer.h"
#include "tests/support/skip.h"

using namespace kgate;

namespace {

constexpr const char* kOverread = R"(========= Invalid __global__ read of size 4 bytes
=========     at scale(float *, const float *, int)+0x70 in /stage/kernels/scale/scale.cu:3
=========     by thread (36,0,0) in block (1,0,0)
=========     Access at 0x7f0000000190 is out of bounds
=========
========= ERROR SUMMARY: 1 error
)";
constexpr const char* kMaybeRace =
    R"(========= Warning: Race reported between Read access at scale(float *, const float *, int)+0x20 in kernels/scale/scale.cu:2
=========     and Write access at scale(float *, const float *, int)+0x40 in kernels/scale/scale.cu:3 [4 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)
)";

// A toolkit that is there, of which nothing is loaded, and in it what stands for compute-sanitizer.
class Bench {
 public:
  Bench() { write_file_atomic(toolkit() / "lib64/libnvrtc.so.13.0.0", std::string_view("")); }

  ProcessOptions command() const {
    return gpu.command(cli, {"check", "--policy-ref", "main", "--sanitize", "--cuda", toolkit().string()});
  }
  CliFixture::Answer check() const {
    const auto result = run_command(command(), {});
    return {result.status.code, result.output};
  }
  std::filesystem::path folder() const { return toolkit() / "compute-sanitizer"; }

  CliFixture cli;
  FakeGpu gpu{FakeGpu::Compiler::host};

 private:
  std::filesystem::path toolkit() const { return folder_.path() / "cuda"; }

  TemporaryFolder folder_{"kgate-test"};
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool can_compile() {
  return !fingerprint::find_toolkit({}).host_compiler.empty();
}

}  // namespace

TEST_CASE("under --sanitize a clean kernel passes, and the result says by which tools of which version") {
  if (!can_compile()) KGATE_SKIP("no C++ compiler was found on this machine");
  const Bench bench;
  const FakeComputeSanitizer tool(bench.folder());
  const auto answer = bench.check();
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(tool.starts().size() == 4);
  const Json result = bench.cli.result();
  CHECK(result["verdict"] == "pass");
  CHECK(result["sanitizer"]["available"] == true);
  CHECK(result["sanitizer"]["version"] == "2025.3.1.0");
  CHECK(result["sanitizer"]["tools"] == Json{"memcheck", "synccheck", "initcheck", "racecheck"});
  CHECK(result["sanitizer"]["findings"] == Json::array());
  CHECK(has(answer.output, "sanitizer: compute-sanitizer 2025.3.1.0 found: memcheck nothing, "));
  CHECK(has(answer.output, " --sanitize --seed "));
}

TEST_CASE("an error of a tool makes the kernel wrong, with its source line in the report and in result.json") {
  if (!can_compile()) KGATE_SKIP("no C++ compiler was found on this machine");
  const Bench bench;
  const FakeComputeSanitizer tool(bench.folder());
  tool.report("memcheck", kOverread);
  tool.report("racecheck", kMaybeRace);
  const auto answer = bench.check();
  INFO(answer.output);
  CHECK(answer.code == 2);
  CHECK(has(answer.output, "memcheck: kernels/scale/scale.cu:3: Invalid __global__ read of size 4 bytes"));
  const Json result = bench.cli.result();
  CHECK(result["kernels"][0]["verdict"] == "wrong");
  CHECK(result["kernels"][0]["cases"][0]["verdict"] == "wrong");
  const Json& findings = result["sanitizer"]["findings"];
  REQUIRE(findings.size() == 2);
  CHECK(findings[0] == Json{{"tool", "memcheck"},
                            {"kind", "invalid_read"},
                            {"severity", "error"},
                            {"kernel", "scale"},
                            {"case", "small"},
                            {"file", "kernels/scale/scale.cu"},
                            {"line", 3},
                            {"what",
                             "Invalid __global__ read of size 4 bytes, at scale(float *, const float *, int)+0x70 in "
                             "/stage/kernels/scale/scale.cu:3, by thread (36,0,0) in block (1,0,0), Access at "
                             "0x7f0000000190 is out of bounds"},
                            {"count", 1}});
  CHECK(findings[1]["severity"] == "warning");
  CHECK(has(answer.output, "warning: scale: case \"small\": racecheck: kernels/scale/scale.cu:2: Race reported"));
}

TEST_CASE("a warning of a tool is told and blocks nothing") {
  if (!can_compile()) KGATE_SKIP("no C++ compiler was found on this machine");
  const Bench bench;
  const FakeComputeSanitizer tool(bench.folder());
  tool.report("racecheck", kMaybeRace);
  const auto answer = bench.check();
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(has(answer.output, "warning: scale: case \"small\": racecheck: kernels/scale/scale.cu:2: Race reported"));
}

TEST_CASE("a compute-sanitizer that proves nothing is environment, with its own words") {
  if (!can_compile()) KGATE_SKIP("no C++ compiler was found on this machine");
  const Bench bench;
  const FakeComputeSanitizer tool(bench.folder());
  tool.behave("if [ $tool = initcheck ]; then echo 'Internal error' > \"$log\"; kill -SEGV $$; fi\n");
  const auto answer = bench.check();
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(bench.cli.result()["kernels"][0]["verdict"] == "environment");
  CHECK(has(answer.output, "compute-sanitizer: initcheck: case \"small\": initcheck ended without a summary"));
  CHECK(has(answer.output, "see docs/sanitize.md, or leave --sanitize out"));
}

TEST_CASE("without a compute-sanitizer the run is environment, and says what to install") {
  if (!fingerprint::find_compute_sanitizer("", "").path.empty()) KGATE_SKIP("this machine has a compute-sanitizer");
  Bench bench;
  SECTION("none") {
    bench.cli.environment["PATH"] = "/usr/bin:/bin";
    const auto answer = bench.check();
    INFO(answer.output);
    CHECK(answer.code == 5);
    CHECK(has(answer.output,
              "--sanitize: compute-sanitizer was not found in PATH nor beside the CUDA toolkit; install it (package "
              "cuda-sanitizer-13-0 or of your CUDA version), or leave the option out"));
  }
  SECTION("one that does not start") {
    const FakeComputeSanitizer tool(bench.folder());
    tool.behave_at_once("echo 'libsanitizer-collection.so: cannot open shared object file'\nexit 127\n");
    const auto answer = bench.check();
    INFO(answer.output);
    CHECK(answer.code == 5);
    CHECK(has(answer.output,
              "--sanitize: compute-sanitizer does not start here: " + tool.program().string() +
                  " did not tell its version: libsanitizer-collection.so: cannot open shared object file"));
  }
  CHECK(bench.cli.result()["verdict"] == "environment");
  CHECK(bench.cli.result()["sanitizer"]["available"] == false);
}

TEST_CASE("that nothing can be sanitized here is told before the ledger is read") {
  const CliFixture cli;
  cli.git({"update-ref", "refs/heads/kgate/ledger", "main"});  // no ledger
  CHECK(cli.kgate({"check", "--policy-ref", "main"}).code == 4);
  const auto answer = cli.kgate({"check", "--policy-ref", "main", "--sanitize"});
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(has(answer.output, "--sanitize: needs a GPU; the backend here is host"));
}

TEST_CASE("a signal ends a run whose compute-sanitizer hangs") {
  if (!can_compile()) KGATE_SKIP("no C++ compiler was found on this machine");
  const Bench bench;
  const FakeComputeSanitizer tool(bench.folder());
  const auto begun = tool.program().string() + ".begun";
  tool.behave("touch \"$0.begun\"\nsleep 100\n");
  auto process = Process::start(bench.command());
  for (int i = 0; i < 1000 && !std::filesystem::exists(begun); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  REQUIRE(std::filesystem::exists(begun));
  ::kill(process.id(), SIGINT);
  const auto status = process.wait(std::chrono::seconds(20));
  REQUIRE(status);
  CHECK(status->code == 130);
  CHECK(bench.cli.result()["kernels"][0]["verdict"] == "environment");
}
