#include <filesystem>

#include <fmt/format.h>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;

namespace {

// Where this machine has Landlock.
std::string best_level(const CliFixture& cli) {
  cli.kgate({"check"});
  return cli.result()["sandbox"]["level"];
}

constexpr const char* kSource = "kernels/scale/scale.cu";

constexpr const char* kHonest =
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2.0f * x[i];\n}\n";

}  // namespace

TEST_CASE("a run says which sandbox its children were under, and warns where it is not the best") {
  const CliFixture cli;
  const std::string best = best_level(cli);
  const auto answer = cli.kgate({"check", "--sandbox", "none"});
  CHECK(answer.code == 0);
  CHECK(cli.result()["sandbox"] == Json{{"level", "none"}});
  CHECK(answer.output.find("sandbox none: none was asked for") != std::string::npos);
  if (best != "landlock") KGATE_SKIP("this kernel has no Landlock");
  CHECK(cli.kgate({"check"}).output.find("sandbox landlock:") == std::string::npos);
}

TEST_CASE("a policy that wants a sandbox does not let it be switched off") {
  const CliFixture cli;
  cli.replace(".kgate/policy.toml", "[trust]", "[environment]\nsandbox = \"seccomp\"\n[trust]");
  cli.commit("policy");
  const auto answer = cli.kgate({"run", "--sandbox", "none", "--policy-ref", "main"});
  CHECK(answer.code == 5);
  CHECK(answer.output.find("--sandbox none: is weaker than the policy requires, [environment] sandbox = \"seccomp\"; "
                           "leave the option out") != std::string::npos);
  CHECK(cli.kgate({"check", "--policy-ref", "main"}).code == 0);
}

TEST_CASE("a source that includes a secret is wrong, and the secret is in no log") {
  const CliFixture cli;
  if (best_level(cli) != "landlock") KGATE_SKIP("this kernel has no Landlock");
  const TemporaryFolder elsewhere("kgate-secret");
  const std::string canary = "kgate_canary_51be";
  write_file_atomic(elsewhere.path() / "token", std::string_view(canary + "\n"));
  // A path that macros build, which kgate's own look at the text does not see.
  cli.write(kSource, "#define NAME " + (elsewhere.path() / "token").string() +
                         "\n#define TEXT(x) #x\n#define PATH(x) TEXT(x)\n#include PATH(NAME)\n__global__ void "
                         "scale(float* y, const float* x, int n) {\n" +
                         kHonest);
  const auto answer = cli.kgate({"check", "--policy-ref", "main"});
  CHECK(answer.code == 2);
  CHECK(answer.output.find(canary) == std::string::npos);
  CHECK(cli.result().dump().find(canary) == std::string::npos);
  CHECK(cli.result()["kernels"][0]["verdict"] == "wrong");
}

TEST_CASE("a kernel that reads a file finds it closed, and one that wants to end the machine is ended") {
  const CliFixture cli;
  if (best_level(cli) != "landlock") KGATE_SKIP("this kernel has no Landlock");
  const std::string head =
      "#include <fcntl.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n"
      "__global__ void scale(float* y, const float* x, int n) {\n";
  cli.write(kSource, head + "  if (open(\"/etc/passwd\", O_RDONLY) >= 0) n = 0;\n" + kHonest);
  CHECK(cli.kgate({"check", "--policy-ref", "main"}).code == 0);
  CHECK(cli.kgate({"check", "--policy-ref", "main", "--sandbox", "none"}).code == 2);
  cli.write(kSource, head + "  syscall(SYS_reboot, 0, 0, 0, 0);\n" + kHonest);
  CHECK(cli.kgate({"check", "--policy-ref", "main"}).code == 2);
  CHECK(cli.result()["kernels"][0]["reason"].get<std::string>().find("the kernel crashed (SIGSYS)") !=
        std::string::npos);
}

TEST_CASE("doctor --sandbox tries every kind of child, as a table and as JSON") {
  const CliFixture cli;
  const auto table = cli.kgate({"doctor", "--sandbox"});
  CHECK(table.code == 0);
  CHECK(table.output.starts_with("tried from inside"));
  for (const char* word : {"Landlock", "seccomp", "privileges", "system", "needed", "OPEN", "-"}) {
    INFO(word);
    CHECK(table.output.find(fmt::format("\n{:<10}  ", word)) != std::string::npos);
  }
  CHECK(table.output.find("\nCPU kernel: a kernel on the host backend: native code of the change\n  sandbox ") !=
        std::string::npos);
  CHECK(table.output.find("its device works under the sandbox") != std::string::npos);
  const auto text = cli.kgate({"doctor", "--sandbox", "--format", "json"});
  CHECK(text.code == 0);
  const Json json = Json::parse(text.output);
  CHECK(json["schema"] == "kgate.sandbox/1");
  bool found = false;
  for (const Json& child : json["children"]) {
    if (child["child"] != "CPU kernel" || !child["relaxed"].get<std::string>().empty()) continue;
    found = true;
    CHECK(child["answers"]["connect by TCP"] == "seccomp");
    CHECK(child["answers"]["write to the repository"] == "seccomp");
    CHECK(child["answers"]["read /proc/meminfo"] == "needed");
    if (child["level"] == "landlock") CHECK(child["answers"]["list the home folder"] == "Landlock");
  }
  if (!found) KGATE_SKIP("a sanitizer's build is relaxed");
}

TEST_CASE("doctor --sandbox looks at no kernels") {
  const CliFixture cli;
  CHECK(cli.kgate({"doctor", "--sandbox", "scale"}).output ==
        "kgate doctor --sandbox scale: looks at the machine, not at kernels\n");
  CHECK(cli.kgate({"run", "--sandbox", "some"}).code == 64);
}
