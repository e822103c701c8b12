// Machine code in the diff of a run as a user calls it, with a script in the place of nvdisasm.
#include "fingerprint/disassembler.h"
#include "fingerprint/toolkit.h"
#include "tests/cli/cli_fixture.h"
#include "tests/cli/fake_gpu.h"
#include "tests/support/catch.h"
#include "tests/support/fake_nvdisasm.h"
#include "tests/support/skip.h"

using namespace kgate;

namespace {

// A toolkit that is there, of which nothing is loaded, and a changed kernel.
class Bench {
 public:
  Bench() {
    write_file_atomic(toolkit() / "lib64/libnvrtc.so.13.0.0", std::string_view(""));
    cli.replace("kernels/scale/scale.cu", "2.0f * x[i]", "2.0f * x[i] + 0.0f");
  }

  std::filesystem::path toolkit() const { return folder_.path() / "cuda"; }

  // The kernel of the result.
  Json judged(const std::string& verb) const {
    auto command = gpu.command(cli, {verb, "--policy-ref", "main", "--cuda", toolkit().string()});
    const auto answer = run_command(command, {});
    INFO(answer.output);
    CHECK(answer.status.code == 0);
    return cli.result()["kernels"][0];
  }

  CliFixture cli;

 private:
  FakeGpu gpu{FakeGpu::Compiler::host};
  TemporaryFolder folder_{"kgate-test"};
};

bool can_compile() {
  return !fingerprint::find_toolkit({}).host_compiler.empty();
}

}  // namespace

TEST_CASE("a run has the instructions of a changed kernel and of the base's in its diff, a check has not") {
  if (!can_compile()) KGATE_SKIP("no C++ compiler was found on this machine");
  const Bench bench;
  const FakeNvdisasm tool(bench.toolkit() / "bin");
  tool.behave("echo '/*0000*/ FADD R0, R1, R2 ;'; echo '/*0010*/ EXIT ;'\n");
  const Json kernel = bench.judged("run");
  CHECK(kernel["code"] == "changed");
  CHECK(kernel["diff"]["machine_code"] == Json{{"before", {{"control", 1}, {"fp32", 1}, {"total", 2}}},
                                               {"after", {{"control", 1}, {"fp32", 1}, {"total", 2}}},
                                               {"changes", Json::object()}});
  CHECK_FALSE(bench.judged("check")["diff"].contains("machine_code"));
}

TEST_CASE("a run without an nvdisasm passes and says that nothing was counted") {
  if (!can_compile()) KGATE_SKIP("no C++ compiler was found on this machine");
  if (!fingerprint::find_disassembler("/usr/bin", "").empty()) KGATE_SKIP("this machine has an nvdisasm");
  const Bench bench;
  CHECK(bench.judged("run")["diff"]["machine_code"] ==
        Json{{"not_counted", "nvdisasm, which cuobjdump needs too, is not installed"}});
}
