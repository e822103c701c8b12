#include <sys/mount.h>
#include <unistd.h>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using kgate::Json;

namespace {

constexpr const char* kSource = "kernels/scale/scale.cu";
constexpr const char* kKernel = "kernels/scale/kernel.toml";
constexpr const char* kCases = "kernels/scale/cases.toml";

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  const auto start = text.rfind('\n', end);
  return text.substr(start + 1, end - start);
}

}  // namespace

TEST_CASE("an unknown key is a usage error with file, line and the nearest key") {
  const CliFixture cli;
  cli.replace(kKernel, "sources", "soruces");
  const auto answer = cli.kgate({"run", "--policy-ref", "main"});
  CHECK(answer.code == 64);
  CHECK(last_line(answer.output) ==
        "kgate: kernels/scale/kernel.toml:3: soruces: is not a key that kgate knows; did you mean \"sources\"?");
  CHECK_FALSE(cli.has_result());
}

TEST_CASE("a missing source is a usage error that names it") {
  const CliFixture cli;
  std::filesystem::remove(cli.root() / kSource);
  const auto answer = cli.kgate({"run", "--policy-ref", "main"});
  CHECK(answer.code == 64);
  CHECK(answer.output.find("scale.cu") != std::string::npos);
}

TEST_CASE("a kernel that does not compile is wrong, with the compiler's message once and the user's line") {
  const CliFixture cli;
  cli.replace(kSource, "2.0f * x[i]", "2.0f * nowhere[i]");
  const auto answer = cli.kgate({"run", "--policy-ref", "main"});
  CHECK(answer.code == 2);
  const Json kernel = cli.result()["kernels"][0];
  CHECK(kernel["reason"] == "does not compile");
  const auto log = kernel["compiler_log"].get<std::string>();
  const auto first = log.find("kernels/scale/scale.cu:3:");
  REQUIRE(first != std::string::npos);
  CHECK(log.find("'nowhere' was not declared") != std::string::npos);
  CHECK(log.find("error:", log.find("error:") + 1) == std::string::npos);
}

TEST_CASE("an entry that the source does not define is wrong and named") {
  const CliFixture cli;
  cli.replace(kKernel, "entry = \"scale\"", "entry = \"scall\"");
  CHECK(cli.kgate({"run", "--policy-ref", "main"}).code == 2);
  CHECK(cli.result()["kernels"][0]["compiler_log"].get<std::string>().find("scall") != std::string::npos);
}

TEST_CASE("parameters that do not match the entry are wrong, with both counts or sizes") {
  const CliFixture cli;
  cli.write(kSource, "__global__ void scale(float* y, const float* x) { y[0] = x[0]; }\n");
  CHECK(cli.kgate({"run", "--policy-ref", "main"}).code == 2);
  CHECK(cli.result()["kernels"][0]["reason"] ==
        "case \"small\": entry \"scale\" takes 2 parameters, the launch gives 3: the source and cases.toml (or the "
        "launch's args) disagree");
  cli.write(kSource, "__global__ void scale(float* y, const float* x, long long n) { y[0] = x[0] + n; }\n");
  CHECK(cli.kgate({"run", "--policy-ref", "main"}).code == 2);
  CHECK(cli.result()["kernels"][0]["reason"] ==
        "case \"small\": entry \"scale\": parameter 3 takes 8 bytes, the launch gives a scalar of 4: its type differs "
        "from the one in "
        "cases.toml");
}

TEST_CASE("a shape of no elements is checked like any other") {
  const CliFixture cli;
  cli.replace(kCases, "n = 100", "n = 0");
  cli.replace(kKernel, "ceil_div(n, 64)", "max(1, ceil_div(n, 64))");
  cli.commit("empty");
  const auto answer = cli.kgate({"run", "--policy-ref", "main"});
  INFO(answer.output);
  CHECK(answer.code == 0);
}

TEST_CASE("a shape beyond 2^53 is a usage error, and one that no machine holds is the environment's") {
  const CliFixture cli;
  cli.replace(kCases, "n = 100", "n = 9007199254740992");
  cli.commit("huge");
  auto answer = cli.kgate({"run", "--policy-ref", "main"});
  INFO(answer.output);
  CHECK(answer.code == 64);
  cli.replace(kCases, "n = 9007199254740992", "n = 2000000000");
  cli.replace(kCases, "shape = [\"n\"]", "shape = [\"n\", 1000]");
  cli.replace(kCases, "shape = [\"n\"]", "shape = [\"n\", 1000]");
  cli.replace(kKernel, "ceil_div(n, 64)", "1");
  cli.commit("large");
  answer = cli.kgate({"run", "--policy-ref", "main", "--profile", "release"});
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(answer.output.find("of host memory") != std::string::npos);
}

TEST_CASE("a candidate that wants more scratch memory than there is, is wrong; the machine is not to blame") {
  const CliFixture cli;
  cli.replace(kKernel, "[[launch]]",
              "[[workspace]]\nname = \"w\"\ndtype = \"u8\"\nshape = [2000000000, 2000]\n[[launch]]");
  const auto answer = cli.kgate({"run", "--policy-ref", "main"});
  INFO(answer.output);
  CHECK(answer.code == 2);
}

TEST_CASE("a truncated .npy is a usage error that names the file") {
  const CliFixture cli;
  cli.replace(kCases, "x = { normal = [0.0, 1.0] }", "x = { file = \"x.npy\" }");
  cli.write("kernels/scale/x.npy", std::string("\x93NUMPY\x01\x00\x76\x00{'descr'", 18));
  cli.commit("npy");
  const auto answer = cli.kgate({"run", "--policy-ref", "main"});
  CHECK(answer.code == 64);
  CHECK(answer.output.find("kernels/scale/x.npy") != std::string::npos);
}

TEST_CASE("a grid or a block over the limits is told with the limit") {
  const CliFixture cli;
  cli.replace(kKernel, "block = [64, 1, 1]", "block = [2048, 1, 1]");
  auto answer = cli.kgate({"run", "--policy-ref", "main"});
  CHECK(answer.code != 0);
  CHECK(answer.output.find("1024") != std::string::npos);
  cli.replace(kKernel, "block = [2048, 1, 1]", "block = [64, 1, 1]");
  cli.replace(kKernel, "grid = [\"ceil_div(n, 64)\", 1, 1]", "grid = [1, 70000, 1]");
  answer = cli.kgate({"run", "--policy-ref", "main"});
  CHECK(answer.code != 0);
  CHECK(answer.output.find("65535") != std::string::npos);
}

TEST_CASE("a hidden kernel folder, a link out of the repository and a path above it are refused") {
  const CliFixture cli;
  std::filesystem::remove(cli.root() / kSource);
  std::filesystem::create_symlink("/etc/passwd", cli.root() / kSource);
  auto answer = cli.kgate({"run", "--policy-ref", "main"});
  CHECK(answer.code == 4);
  CHECK(answer.output.find("link") != std::string::npos);
  CHECK(answer.output.find("root:") == std::string::npos);
  cli.replace(kKernel, "\"scale.cu\"", "\"../../../scale.cu\"");
  CHECK(cli.kgate({"run", "--policy-ref", "main"}).code == 64);
}

TEST_CASE("without a GPU driver, the cuda backend is the environment's fault and says what is missing") {
  if (std::filesystem::exists("/dev/nvidiactl")) KGATE_SKIP("this machine has an NVIDIA driver");
  const CliFixture cli;
  const auto answer = cli.kgate({"run", "--policy-ref", "main", "--backend", "cuda"});
  CHECK(answer.code == 5);
  CHECK(last_line(answer.output).starts_with("kgate: cuda "));
}

TEST_CASE("a full disk is the environment's fault and leaves no half-written file") {
  const CliFixture cli;
  const auto small = cli.root().parent_path() / "small";
  std::filesystem::create_directories(small);
  if (::mount("kgate-test", small.c_str(), "tmpfs", 0, "size=8k") != 0)
    KGATE_SKIP("no right to mount a small file system");
  // Room for one page more: fingerprint.json fits, result.json does not.
  kgate::write_file_atomic(small / "filler", std::string_view("x"));
  const auto answer = cli.kgate({"check", "--out", (small / "out").string()});
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(small)) {
    if (entry.is_regular_file()) left.push_back(entry.path().filename().string());
  }
  ::umount(small.c_str());
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(last_line(answer.output).find("No space left on device") != std::string::npos);
  for (const auto& name : left) CHECK((name == "fingerprint.json" || name == "filler"));
}

TEST_CASE("an answer that cannot be written is an error, not a pass") {
  const CliFixture cli;
  auto options = cli.command({"check"});
  options.command.insert(options.command.begin(), {"/bin/sh", "-c", "exec \"$0\" \"$@\" > /dev/full"});
  CHECK(kgate::run_command(options, {}).status.code == 5);
}

TEST_CASE("what a kernel includes must be declared: neither absolute paths nor what a macro names, cache or no cache") {
  const CliFixture cli;
  const auto header = (cli.root().parent_path() / "op.h").string();
  for (const std::string& include : {"#include \"" + header + "\"\n", "#define H \"" + header + "\"\n#include H\n"}) {
    kgate::write_file_atomic(header, std::string_view("#define OP 2.0f\n"));
    cli.write(kSource, include +
                           "__global__ void scale(float* y, const float* x, int n) {\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = OP * x[i];\n}\n");
    const auto answer =
        cli.kgate({"run", "--policy-ref", "main", "--cache", (cli.root().parent_path() / "cache").string()});
    CHECK(answer.code == 2);
    CHECK(cli.result()["kernels"][0]["reason"] == "does not compile");
  }
}

TEST_CASE("a change that this backend can no longer run is told from a kernel that it never could") {
  const CliFixture cli;
  const std::string ptx = "  asm volatile(\"bar.sync 0;\");\n";
  const std::string source = "__global__ void scale(float* y, const float* x, int n) {\n" + ptx + "}\n";
  const std::string told = "the base version it can: this change takes the kernel out of sight here";
  cli.write(kSource, source);
  auto answer = cli.kgate({"run", "--policy-ref", "main"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(cli.result()["verdict"] == "environment");
  const std::string reason = cli.result()["kernels"][0]["reason"];
  CHECK(reason.find("inline PTX (asm) is beyond the host backend") != std::string::npos);
  CHECK(reason.find(told) != std::string::npos);
  cli.replace(".kgate/policy.toml", "[trust]",
              "[profile.pr]\nblock_on = [\"change\", \"creep\", \"missing\", \"environment\"]\n[trust]");
  cli.commit("blocks");
  cli.write(kSource, source + "\n");
  answer = cli.kgate({"run", "--policy-ref", "main"});
  CHECK(answer.code == 5);
  CHECK(std::string(cli.result()["kernels"][0]["reason"]).find(told) == std::string::npos);
}

TEST_CASE("a compiler that hangs is killed at the policy's limit, with what it started") {
  CliFixture cli;
  const auto compiler = cli.root().parent_path() / "cxx";
  kgate::write_file_atomic(compiler,
                           std::string_view("#!/bin/sh\ncase \"$*\" in *--version*) echo fake 1.0; exit 0;; esac\n"
                                            "sleep 3617 & wait\n"));
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  cli.environment["CXX"] = compiler.string();
  cli.replace(".kgate/policy.toml", "[trust]", "[compile]\ntimeout_s = 1\n[trust]");
  cli.commit("impatient");
  // The sandbox would not let a script run.
  const auto answer = cli.kgate({"run", "--policy-ref", "main", "--sandbox", "none"});
  INFO(answer.output);
  CHECK(answer.code == 2);
  CHECK(answer.output.find("did not finish within 1 s") != std::string::npos);
  auto left = cli.command({});
  left.command = {"/bin/sh", "-c", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c '[s]leep 3617'"};
  CHECK(kgate::run_command(left, {}).output == "0\n");
}

TEST_CASE("an output folder that is a link is refused, and what it points to is left alone") {
  const CliFixture cli;
  const auto victim = cli.root().parent_path() / "victim";
  kgate::write_file_atomic(victim / "result.json", std::string_view("precious"));
  std::filesystem::create_symlink(victim, cli.root() / "kgate-out");
  const auto answer = cli.kgate({"check", "--out", (cli.root() / "kgate-out").string()});
  CHECK(answer.code == 64);
  CHECK(answer.output.find("is a link; name the folder itself with --out") != std::string::npos);
  CHECK(kgate::text_of(kgate::read_file(victim / "result.json", 100)) == "precious");
  CHECK(cli.kgate({"check", "--out", ""}).output == "kgate: --out \"\": names no folder; leave it out, or name one\n");
  CHECK(cli.kgate({"report", std::string(5000, 'x')}).code == 64);
}

TEST_CASE("a reader of the progress that goes away does not end the run") {
  const CliFixture cli;
  auto options = cli.command({"check"});
  options.command.insert(options.command.begin(), {"/bin/bash", "-c", "\"$0\" \"$@\" 2> >(true) > /dev/null; exit $?"});
  CHECK(kgate::run_command(options, {}).status.code == 0);
  CHECK(cli.result()["exit_code"] == 0);
}
