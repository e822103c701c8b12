#include "fingerprint/toolkit.h"
#include "tests/cli/cli_fixture.h"
#include "tests/cli/fake_gpu.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;

namespace {

constexpr const char* kSource = "kernels/scale/scale.cu";
constexpr const char* kRefusing =
    "schema = \"kgate.policy/1\"\n[trust]\nunsigned = \"warn\"\n[compile]\ndevice_variables = \"refuse\"\n"
    "device_launches = \"refuse\"\n";

// The kernel remembers the last n that it saw.
void remember(const CliFixture& cli) {
  cli.replace(kSource, "__global__ void scale", "static __device__ int seen;\n__global__ void scale");
  cli.replace(kSource, "  if (i < n)", "  if (i == 0) seen = n + seen / 2;\n  if (i < n)");
}

}  // namespace

TEST_CASE("a variable that outlives a launch is told, and blocks nothing by itself") {
  const CliFixture cli;
  remember(cli);
  const auto answer = cli.kgate({"check", "--policy-ref", "main"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(cli.result()["kernels"][0]["lint"] == Json::parse(R"([{"rule": "device_variables", "where": ".bss",
                                                               "what": "seen, 4 bytes", "in_base": false}])"));
  CHECK(answer.output.find("lint: scale: device variables: .bss: seen, 4 bytes\n") != std::string::npos);
}

TEST_CASE("the policy can refuse a variable that a change brings, with the place and the remedy") {
  const CliFixture cli;
  cli.write(".kgate/policy.toml", kRefusing);
  cli.commit("policy");
  remember(cli);
  const auto answer = cli.kgate({"check", "--policy-ref", "main"});
  INFO(answer.output);
  CHECK(answer.code == 2);
  const Json kernel = cli.result()["kernels"][0];
  CHECK(kernel["verdict"] == "wrong");
  CHECK(kernel["reason"] ==
        "the policy refuses writable variables of the device ([compile] device_variables): .bss: seen, 4 bytes; take a "
        "[[workspace]] of kernel.toml for memory; on the host backend __constant__ is a variable like others: where it "
        "is a table, run this on a GPU (--backend cuda)");
}

TEST_CASE("a variable that the base has is told as the base's, and not refused") {
  const CliFixture cli;
  remember(cli);
  cli.write(".kgate/policy.toml", kRefusing);
  cli.commit("a kernel that remembers");
  cli.replace(kSource, "2.0f * x[i]", "x[i] + x[i]");
  const auto answer = cli.kgate({"check", "--policy-ref", "main"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(cli.result()["kernels"][0]["lint"][0]["in_base"] == true);
  CHECK(answer.output.find("seen, 4 bytes (the base has it too)") != std::string::npos);
}

TEST_CASE("a launch from the device is refused by its line") {
  const CliFixture cli;
  cli.write(".kgate/policy.toml", kRefusing);
  cli.commit("policy");
  cli.replace(kSource, "  if (i < n)", "  if (i > n) scale<<<1, 1>>>(y, x, n);\n  if (i < n)");
  const auto answer = cli.kgate({"check", "--policy-ref", "main"});
  INFO(answer.output);
  CHECK(answer.code == 2);
  CHECK(answer.output.find("kernels/scale/scale.cu:3: if (i > n) scale<<<1, 1>>>(y, x, n);") != std::string::npos);
}

TEST_CASE("a word that the policy forbids is refused by its line, and not in a comment") {
  const CliFixture cli;
  cli.write(".kgate/policy.toml",
            "schema = \"kgate.policy/1\"\n[trust]\nunsigned = \"warn\"\n[compile]\nforbid = [\"asm\"]\n");
  cli.commit("policy");
  cli.replace(kSource, "  if (i < n)", "  // no asm here\n  if (i < n)");
  CHECK(cli.kgate({"check", "--policy-ref", "main"}).code == 0);
  cli.replace(kSource, "  if (i < n)", "  asm volatile(\"\");\n  if (i < n)");
  const auto answer = cli.kgate({"check", "--policy-ref", "main"});
  INFO(answer.output);
  CHECK(answer.code == 64);
  CHECK(answer.output.find("kernels/scale/scale.cu: \"asm\" in line 4; remove it; the policy does not allow it in a "
                           "candidate") != std::string::npos);
}

#ifdef KGATE_HAVE_CUDA
TEST_CASE("in machine code for a GPU a variable that a change brings is refused as well") {
  if (fingerprint::find_toolkit({}).nvrtc.empty()) KGATE_SKIP("no NVRTC was found on this machine");
  const CliFixture cli;
  const FakeGpu gpu(FakeGpu::Compiler::nvrtc);
  for (const char* file : {"kernels/scale/kernel.toml", "kernels/scale/cases.toml"})
    cli.replace(file, "sources =", "arch = \"sm_90\"\nsources =");
  cli.write(".kgate/policy.toml", kRefusing);
  cli.commit("policy");
  remember(cli);
  const auto answer = run_command(gpu.command(cli, {"check", "--policy-ref", "main"}), {});
  INFO(answer.output);
  CHECK(answer.status.code == 2);
  CHECK(cli.result()["kernels"][0]["reason"] ==
        "the policy refuses writable variables of the device ([compile] device_variables): .nv.global: seen, 4 bytes; "
        "take a [[workspace]] of kernel.toml for memory, __constant__ for tables");
}
#endif

TEST_CASE("a run that is to sanitize and cannot is environment, never a pass") {
  const CliFixture cli;
  const auto answer = cli.kgate({"check", "--policy-ref", "main", "--sanitize"});
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(answer.output.find("--sanitize: needs a GPU; the backend here is host") != std::string::npos);
  CHECK(cli.result()["verdict"] == "environment");
  CHECK(cli.result()["sanitizer"]["tools"] == Json::array());
}
