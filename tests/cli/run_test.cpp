#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using kgate::Json;

namespace {

constexpr const char* kSource = "kernels/scale/scale.cu";

// A zone in which even a busy two-core machine answers.
constexpr const char* kTimed = R"(
[[case]]
name = "timed"
role = "performance"
sizes = { n = 20000 }
inputs = { x = { normal = [0.0, 1.0] } }
seed = "fresh"
tolerance = { y = { rtol = 1e-6 } }
)";

kgate::ProcessOptions without_stderr(kgate::ProcessOptions options) {
  options.command.insert(options.command.begin(), {"/bin/sh", "-c", "exec \"$0\" \"$@\" 2>/dev/null"});
  return options;
}

}  // namespace

TEST_CASE("an unchanged kernel is checked and not timed, and a comment changes nothing") {
  const CliFixture cli;
  cli.replace(kSource, "__global__", "// only a comment\n__global__");
  const auto answer = cli.kgate({"run", "--policy-ref", "main"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  const Json result = cli.result();
  CHECK(result["verdict"] == "pass");
  CHECK(result["kernels"][0]["verdict"] == "unchanged");
  CHECK(result["kernels"][0]["code"] == "unchanged");
  CHECK(result["kernels"][0]["diff"]["source"].get<std::string>().find("+// only a comment") != std::string::npos);
  CHECK(result["source"]["dirty"] == true);
}

TEST_CASE("a wrong kernel blocks with its case, its first wrong element and both values") {
  const CliFixture cli;
  cli.replace(kSource, "2.0f * x[i]", "(i == 37 ? 3.0f : 2.0f) * x[i]");
  const auto answer = cli.kgate({"run", "--policy-ref", "main", "--seed", "1234"});
  INFO(answer.output);
  CHECK(answer.code == 2);
  const Json result = cli.result();
  CHECK(result["verdict"] == "wrong");
  CHECK(result["exit_code"] == 2);
  CHECK(result["seed"] == "0000000000001234");
  const Json one = result["kernels"][0]["cases"][0];
  CHECK(one["numerics"]["y"]["mismatched"] == 1);
  CHECK(one["numerics"]["y"]["first_mismatch"] == Json::array({37}));
  CHECK(answer.output.find("1 of 100 elements differ, first at [37]") != std::string::npos);
}

TEST_CASE("the same seed gives the same inputs, and a fresh one others") {
  const CliFixture cli;
  cli.replace(kSource, "2.0f * x[i]", "3.0f * x[i]");
  const auto error = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "--policy-ref", "main"});
    cli.kgate(more);
    return cli.result()["kernels"][0]["cases"][0]["numerics"]["y"]["max_abs"].get<double>();
  };
  const double first = error({"--seed", "77"});
  CHECK(error({"--seed", "77"}) == first);
  CHECK(error({}) != first);
}

TEST_CASE("elements that are never written, writes out of bounds, changed inputs and races are wrong") {
  const CliFixture cli;
  const std::string original(kgate::text_of(kgate::read_file(cli.root() / kSource, 1 << 20)));
  const auto reason = [&](const std::string& body) {
    cli.write(kSource,
              "__global__ void scale(float* y, float* x, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
                  body + "}\n");
    CHECK(cli.kgate({"run", "--policy-ref", "main"}).code == 2);
    return cli.result()["kernels"][0]["reason"].get<std::string>();
  };
  CHECK(reason("if (i < n - 1) y[i] = 2.0f * x[i];").find("the first of them was never written") != std::string::npos);
  CHECK(reason("y[i] = i < n ? 2.0f * x[i] : 0.0f;") ==
        "case \"small\": wrote out of bounds: 112 bytes past the end of \"y\", the first 0 bytes past it");
  CHECK(reason("if (i < n) { y[i] = 2.0f * x[i]; if (i == 5) x[i] = 0; }") ==
        "case \"small\": changed its input \"x\", first at element 5");
  CHECK(reason("if (i < n) { y[i] = 2.0f * x[i]; } if (i == 0) *(volatile int*)0 = 1;").find("crashed (SIGSEGV)") !=
        std::string::npos);
}

TEST_CASE("a kernel that answers differently from run to run is wrong, with the place") {
  const CliFixture cli;
  // What it reads of its own output before it writes is the poison, which differs from run to run.
  cli.replace("kernels/scale/cases.toml", "rtol = 1e-6", "atol = 0.5");
  cli.commit("loose");
  cli.write(
      kSource,
      "__global__ void scale(float* y, const float* x, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = 2.0f * x[i] + (__float_as_int(y[i]) == -1 ? 0.25f : 0.0f);\n}\n");
  CHECK(cli.kgate({"run", "--policy-ref", "main"}).code == 2);
  CHECK(cli.result()["kernels"][0]["reason"] ==
        "case \"small\": \"y\" differs between two runs on the same inputs, first between [0] and [99]: a race? where "
        "rounding may differ, "
        "the cases say deterministic = false");
}

TEST_CASE("a change of the cases does not move its own goal") {
  const CliFixture cli;
  cli.replace(kSource, "2.0f * x[i]", "2.1f * x[i]");
  cli.replace("kernels/scale/cases.toml", "rtol = 1e-6", "rtol = 0.5");
  cli.replace("kernels/scale/reference.cu", "x[i] + x[i]", "2.1f * x[i]");
  const auto answer = cli.kgate({"run", "--policy-ref", "main"});
  CHECK(answer.code == 2);
  const auto warning = cli.result()["kernels"][0]["warnings"][0].get<std::string>();
  CHECK(warning.find("the base's count until the change is merged") != std::string::npos);
  CHECK(answer.output.find("cases.toml differs from the base") != std::string::npos);
  cli.replace(".kgate/policy.toml", "kgate.policy/1\"", "kgate.policy/1\"\nkernels = [\"nothing/*\"]");
  CHECK(cli.kgate({"run", "--policy-ref", "main"}).code == 2);
}

TEST_CASE("a kernel that nobody knows is new, and one that vanished is missing") {
  const CliFixture cli;
  cli.replace("kernels/scale/cases.toml", "kernel = \"scale\"", "kernel = \"scale2\"");
  const auto answer = cli.kgate({"run", "--policy-ref", "main"});
  INFO(answer.output);
  CHECK(answer.code == 6);
  const Json result = cli.result();
  CHECK(result["kernels"][0]["name"] == "scale2");
  CHECK(result["kernels"][0]["verdict"] == "new");
  CHECK(result["kernels"][1]["name"] == "scale");
  CHECK(result["kernels"][1]["verdict"] == "missing");
}

TEST_CASE("a changed kernel is timed beside its base, and the result has the figures") {
  const CliFixture cli;
  const std::string cases(kgate::text_of(kgate::read_file(cli.root() / "kernels/scale/cases.toml", 1 << 20)));
  cli.write("kernels/scale/cases.toml", cases + kTimed);
  cli.replace(".kgate/policy.toml", "[trust]", "[zone]\ntolerate = 0.5\nblock = 0.9\n[trust]");
  cli.commit("timed");
  cli.replace(kSource, "2.0f * x[i]", "x[i] * 2.0f + 0.0f * x[0]");
  const auto answer = cli.kgate({"run", "--policy-ref", "main"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  const Json result = cli.result();
  CHECK(result["kernels"][0]["code"] == "changed");
  const Json time = result["kernels"][0]["cases"][1]["time"];
  CHECK(time["rounds"].get<int>() >= 2);
  CHECK(time["blocks"].get<int>() >= 14);
  CHECK(time["base_us"].get<double>() > 0);
  CHECK(time["low"].get<double>() <= time["ratio"].get<double>());
  CHECK(time["ratio"].get<double>() <= time["high"].get<double>());
  CHECK(result["kernels"][0]["comparisons"][0]["against"] == "base");
  CHECK(std::filesystem::exists(cli.out() / "samples" / "scale.json"));
  CHECK(std::filesystem::exists(cli.out() / "fingerprint.json"));
}

TEST_CASE("a run whose suite's budget is spent is inconclusive, and says that it is the suite's") {
  const CliFixture cli;
  const std::string cases(kgate::text_of(kgate::read_file(cli.root() / "kernels/scale/cases.toml", 1 << 20)));
  cli.write("kernels/scale/cases.toml", cases + kTimed);
  cli.replace(".kgate/policy.toml", "[trust]",
              "[zone]\ntolerate = 0.5\nblock = 0.9\ncreep = 0.95\n[budget]\nseconds_per_case = 3600\n"
              "seconds_per_suite = 0.000001\n[trust]");
  // A wide zone asks for few blocks, however busy the machine is, and the base does more: what looks like a slowdown
  // would get its rounds all the same.
  cli.replace(kSource, "2.0f * x[i]", "x[i] * 2.0f + 0.0f * x[0]");
  cli.commit("timed");
  cli.replace(kSource, "x[i] * 2.0f + 0.0f * x[0]", "2.0f * x[i]");
  const auto answer = cli.kgate({"run", "--policy-ref", "main"});
  INFO(answer.output);
  CHECK(answer.code == 0);  // the profile pr does not block on it
  const Json result = cli.result();
  CHECK(result["verdict"] == "inconclusive");
  CHECK(result["kernels"][0]["reason"].get<std::string>().starts_with(
      "case \"timed\": the suite's budget of 1e-06 s is spent: the ratio is known only to ["));
  CHECK(answer.output.find("the suite's budget of 1e-06 s is spent") != std::string::npos);
}

TEST_CASE("a selection runs what it names and nothing else") {
  const CliFixture cli;
  CHECK(cli.kgate({"check", "sc*"}).code == 0);
  CHECK(cli.result()["kernels"].size() == 1);
  const auto answer = cli.kgate({"check", "scael"});
  CHECK(answer.code == 6);
  CHECK(answer.output.find("kgate: kernel \"scael\": is neither in the working tree nor in the base nor in the ledger; "
                           "did you mean \"scale\"?\n") != std::string::npos);
}

TEST_CASE("without CI and without a ref, HEAD is the base and that is said") {
  const CliFixture cli;
  CHECK(cli.kgate({"run"}).output.find("no CI and no --policy-ref: policy and base version come from HEAD") !=
        std::string::npos);
}

TEST_CASE("a CI job without a base commit is untrusted") {
  for (const char* variable : {"CI", "JENKINS_URL", "TF_BUILD", "TEAMCITY_VERSION", "CODEBUILD_BUILD_ID"}) {
    CliFixture cli;
    cli.environment[variable] = "true";
    INFO(variable);
    CHECK(cli.kgate({"run"}).code == 4);
    CHECK(cli.kgate({"run", "--policy-ref", "main"}).code == 0);
  }
}

TEST_CASE("a policy that wants signatures answers untrusted where there is none, and compiles nothing") {
  const CliFixture cli;
  cli.replace(".kgate/policy.toml", "\"warn\"", "\"block\"");
  cli.commit("block");
  const auto answer = cli.kgate({"run", "--policy-ref", "main"});
  CHECK(answer.code == 4);
  const Json result = cli.result();
  CHECK(result["verdict"] == "untrusted");
  CHECK(result["kernels"][0]["reason"] ==
        "kernels/scale/cases.toml: is not signed; have it signed by a key with the role cases: kgate sign scale");
  CHECK(answer.output.find("compile: 1 step") == std::string::npos);
}

TEST_CASE("at a desk a kernel is checked before its cases are signed, and in a CI job it is not") {
  CliFixture cli;
  cli.replace(".kgate/policy.toml", "\"warn\"", "\"block\"");
  cli.commit("block");
  const auto answer = cli.kgate({"check"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(answer.output.find("warning: cases are not signed, which kgate run does not let pass: scale\n") !=
        std::string::npos);
  cli.replace("kernels/scale/scale.cu", "2.0f", "3.0f");
  CHECK(cli.kgate({"check"}).code == 2);
  cli.environment["CI"] = "true";
  CHECK(cli.kgate({"check", "--policy-ref", "main"}).code == 4);
}

TEST_CASE("the answer can be JSON, quiet, and goes to stdout alone") {
  const CliFixture cli;
  const auto result = kgate::run_command(without_stderr(cli.command({"check", "--format", "json", "--quiet"})), {});
  CHECK(Json::parse(result.output) == cli.result());
}

TEST_CASE("a run that ends before its time answers JSON too: what result.json has, under the code of what ended it") {
  CliFixture cli;
  std::vector<std::string> arguments{"check", "--format", "json"};
  int code = 0;
  SECTION("no base commit") {
    cli.environment["CI"] = "true";
    code = 4;
  }
  SECTION("a setting that cannot be") {
    cli.replace(".kgate/policy.toml", "[trust]", "[environment]\nsandbox = \"seccomp\"\n[trust]");
    cli.commit("policy");
    arguments.insert(arguments.end(), {"--sandbox", "none"});
    code = 5;
  }
  SECTION("no such kernel") {
    arguments.emplace_back("scael");
    code = 6;
  }
  const auto result = kgate::run_command(without_stderr(cli.command(arguments)), {});
  CHECK(result.status.code == code);
  const Json told = Json::parse(result.output);
  CHECK(told == cli.result());
  CHECK(told["exit_code"] == code);
}
