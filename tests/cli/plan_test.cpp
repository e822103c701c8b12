// kgate plan on a repository, and that the runs it plans come to the same split.
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using kgate::Json;

namespace {

// scale, and the same kernel under further names.
void add_kernels(const CliFixture& cli, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    for (const char* file : {"kernel.toml", "scale.cu", "cases.toml", "reference.cu"}) {
      std::string content(kgate::text_of(kgate::read_file(cli.root() / "kernels/scale" / file, 1 << 20)));
      const auto place = content.find("kernel = \"scale\"");
      if (place != std::string::npos) content.replace(place, 16, "kernel = \"" + name + "\"");
      cli.write("kernels/" + name + "/" + file, content);
    }
  }
  cli.commit("more kernels");
}

Json json_of(const CliFixture& cli, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"plan", "--policy-ref", "main", "--format", "json"});
  const auto answer = cli.kgate(arguments);
  INFO(answer.output);
  REQUIRE(answer.code == 0);
  // Notes go to stderr, and come first.
  return kgate::parse_json(answer.output.substr(answer.output.find('{')), "plan");
}

}  // namespace

TEST_CASE("a plan is what the shards come to by themselves") {
  const CliFixture cli;
  add_kernels(cli, {"alpha", "beta", "gamma"});
  cli.replace("kernels/beta/scale.cu", "2.0f", "1.0f * 2.0f");
  const Json plan = json_of(cli, {"--shards", "3", "--check"});
  CHECK(plan["total"] == 3);
  CHECK(plan["verb"] == "check");
  for (const auto& shard : plan["shards"]) {
    CHECK(cli.kgate({"check", "--policy-ref", "main", "--shard", shard["shard"]}).code == 0);
    const Json result = cli.result();
    CHECK(result["shard"]["plan"] == plan["digest"]);
    Json judged = Json::array();
    for (const auto& kernel : result["kernels"]) judged.push_back(kernel["name"]);
    CHECK(judged == shard["kernels"]);
  }
}

TEST_CASE("a plan needs no device, no compiler, no cache and no home") {
  CliFixture cli;
  cli.environment["PATH"] = "/nowhere";
  cli.environment.erase("HOME");
  const auto answer = cli.kgate({"plan", "--policy-ref", "main", "--shards", "1", "--backend", "cuda"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(answer.output.find("1 kernel in 1 shard") != std::string::npos);
}

TEST_CASE("more shards than kernels are not planned, and that is said") {
  const CliFixture cli;
  add_kernels(cli, {"alpha"});
  const auto answer = cli.kgate({"plan", "--policy-ref", "main", "--shards", "8", "--format", "github"});
  CHECK(answer.code == 0);
  CHECK(answer.output ==
        "note: 8 shards were asked for, and there are 2 kernels: 2 shards\n"
        "matrix={\"include\":[{\"index\":1,\"kernels\":\"alpha\",\"name\":\"alpha\",\"shard\":\"1/2\",\"total\":2},"
        "{\"index\":2,\"kernels\":\"scale\",\"name\":\"scale\",\"shard\":\"2/2\",\"total\":2}]}\n");
}

TEST_CASE("the number of shards follows from how long one may take") {
  const CliFixture cli;
  add_kernels(cli, {"alpha", "beta", "gamma"});
  CHECK(json_of(cli, {"--seconds-per-shard", "60"})["total"] == 1);
  // 5 ms a kernel.
  CHECK(json_of(cli, {"--seconds-per-shard", "0.011"})["total"] == 2);
  CHECK(json_of(cli, {"--seconds-per-shard", "0.006"})["total"] == 4);
  const auto answer = cli.kgate({"plan", "--policy-ref", "main", "--seconds-per-shard", "0.001", "--quiet"});
  CHECK(answer.code == 0);
  CHECK(answer.output.find(
            "note: the longest shard is expected to take 0.005 s: so long takes one kernel, which is in one shard\n") !=
        std::string::npos);
  CHECK(answer.output.find("4 kernels in 4 shards") != std::string::npos);
}

TEST_CASE("where one kernel alone takes longer than a shard may, no more shards are made than help") {
  const CliFixture cli;
  add_kernels(cli, {"alpha", "beta", "gamma"});
  // 120 ms more, and the others 5 ms each.
  cli.replace("kernels/beta/scale.cu", "2.0f", "1.0f * 2.0f");
  CHECK(json_of(cli, {"--seconds-per-shard", "0.05"})["total"] == 2);
}

TEST_CASE("a shard's command says again what was typed, a ref as the commit that it is") {
  const CliFixture cli;
  add_kernels(cli, {"alpha"});
  cli.git({"tag", "old", "main~1"});
  const Json plan = json_of(cli, {"--shards", "1", "--profile", "release", "--baseline", "old", "--backend", "host",
                                  "--no-fetch", "--time-unchanged", "alpha", "sc*"});
  const auto commit = [&](const std::string& ref) {
    auto text = cli.git({"rev-parse", ref}).output;
    text.pop_back();
    return text;
  };
  CHECK(plan["options"] == Json({"--profile=release", "--policy-ref=" + commit("main"), "--baseline=" + commit("old"),
                                 "--backend=host", "--no-fetch", "--time-unchanged"}));
  CHECK(plan["selection"] == Json({"alpha", "sc*"}));
}

TEST_CASE("a plan of nothing, of a name that nobody has, and without a number is refused with what to do") {
  const CliFixture cli;
  const auto refused = [&](std::vector<std::string> arguments, int code) {
    arguments.insert(arguments.begin(), {"plan", "--policy-ref", "main"});
    const auto answer = cli.kgate(arguments);
    CHECK(answer.code == code);
    return answer.output;
  };
  CHECK(refused({"--shards", "2", "scael"}, 6) ==
        "kgate: kernel \"scael\": is neither in the working tree nor in the base; did you mean \"scale\"?\n");
  CHECK(refused({}, 64) ==
        "kgate plan: got neither --shards nor --seconds-per-shard; say how many shards, or how long one may take\n");
  CHECK(refused({"--shards", "2", "--seconds-per-shard", "9"}, 64) ==
        "kgate plan: got both --shards and --seconds-per-shard; say how many shards, or how long one may take\n");
  for (const char* number : {"0", "-1", "x", "100001", "1.5"}) CHECK_FALSE(refused({"--shards", number}, 64).empty());
  for (const char* number : {"0", "-1", "x", "nan"}) CHECK_FALSE(refused({"--seconds-per-shard", number}, 64).empty());
  cli.git({"rm", "-q", "-r", "kernels"});
  cli.commit("no kernels");
  CHECK(refused({"--shards", "2"}, 6) ==
        "kgate: working tree " + cli.root().string() +
            ": no file matches \"kernels/**/kernel.toml\"; add a kernel.toml, or change `kernels` in "
            ".kgate/policy.toml\n");
}
