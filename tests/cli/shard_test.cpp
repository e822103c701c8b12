// A run in shards, as jobs of a CI system or a cluster run it: each by itself, merged in the end.
#include <set>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using kgate::Json;

namespace {

// scale and four kernels like it, in one commit.
class Suite : public CliFixture {
 public:
  Suite() {
    for (const char* name : {"alpha", "beta", "delta", "gamma"}) {
      const std::string folder = std::string("kernels/") + name + "/";
      for (const char* file : {"kernel.toml", "scale.cu", "cases.toml", "reference.cu"}) {
        std::string content(kgate::text_of(kgate::read_file(root() / "kernels/scale" / file, 1 << 20)));
        const auto place = content.find("kernel = \"scale\"");
        if (place != std::string::npos) content.replace(place, 16, std::string("kernel = \"") + name + "\"");
        write(folder + file, content);
      }
    }
    write(".kgate/policy.toml", policy("[trust]\nunsigned = \"warn\"\n"));
    commit("five kernels");
  }

  static std::string policy(const std::string& more) {
    return "schema = \"kgate.policy/1\"\n[profile.pr]\nblock_on = [\"change\", \"missing\", \"environment\"]\n" + more;
  }

  std::string folder(int index) const { return (out() / std::to_string(index)).string(); }

  Answer shard(int index, int total, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{
        "check", "--policy-ref", "main", "--shard", std::to_string(index) + "/" + std::to_string(total),
        "--out", folder(index)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kgate(arguments);
  }

  Json result_of(int index) const {
    return kgate::parse_json(kgate::text_of(kgate::read_file(folder(index) + "/result.json", 64 << 20)), "result.json");
  }

  Answer merge(int total, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"report", "--merge", "--out", (out() / "whole").string()};
    for (int i = 1; i <= total; ++i) arguments.push_back(folder(i));
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kgate(arguments);
  }
};

std::vector<std::string> kernels_of(const Json& result) {
  std::vector<std::string> names;
  for (const auto& kernel : result["kernels"]) names.push_back(kernel["name"]);
  return names;
}

}  // namespace

TEST_CASE("the shards of a run judge every kernel once, say one plan, and are one green run when merged") {
  const Suite suite;
  std::vector<std::string> judged;
  for (int i = 1; i <= 3; ++i) {
    const auto answer = suite.shard(i, 3);
    INFO(answer.output);
    CHECK(answer.code == 0);
    const Json result = suite.result_of(i);
    CHECK(result["shard"]["index"] == i);
    CHECK(result["shard"]["total"] == 3);
    CHECK(result["shard"]["planned"] == Json({"alpha", "beta", "delta", "gamma", "scale"}));
    CHECK(result["shard"]["plan"] == suite.result_of(1)["shard"]["plan"]);
    for (const auto& name : kernels_of(result)) judged.push_back(name);
  }
  CHECK(std::multiset<std::string>(judged.begin(), judged.end()) ==
        std::multiset<std::string>{"alpha", "beta", "delta", "gamma", "scale"});
  const auto whole = suite.merge(3);
  INFO(whole.output);
  CHECK(whole.code == 0);
  CHECK(whole.output.starts_with("kgate: pass"));
}

TEST_CASE("a wrong kernel makes its shard and the merged run red, and no other shard") {
  const Suite suite;
  suite.replace("kernels/beta/scale.cu", "2.0f", "3.0f");
  std::vector<int> codes;
  for (int i = 1; i <= 3; ++i) codes.push_back(suite.shard(i, 3).code);
  CHECK(std::multiset<int>(codes.begin(), codes.end()) == std::multiset<int>{0, 0, 2});
  const auto whole = suite.merge(3);
  CHECK(whole.code == 2);
  CHECK(whole.output.find("beta") != std::string::npos);
  // The command to repeat it names the kernel, which is enough.
  const auto red = std::find(codes.begin(), codes.end(), 2) - codes.begin();
  const auto again = suite.kgate({"report", suite.folder(static_cast<int>(red) + 1)});
  CHECK(again.output.find("kgate check beta --profile pr") != std::string::npos);
  CHECK(again.output.find("--shard") == std::string::npos);
}

TEST_CASE("the command to repeat a green shard says which shard it was") {
  const Suite suite;
  CHECK(suite.shard(2, 3).code == 0);
  const auto text = kgate::text_of(kgate::read_file(suite.folder(2) + "/summary.md", 1 << 20));
  CHECK(text.find("--shard 2/3") != std::string::npos);
}

TEST_CASE("a shard that has no kernel passes and says so, and with the others makes a whole run") {
  const Suite suite;
  const auto answer = suite.shard(7, 8);
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(answer.output.find("shard 7 of 8 has no kernel: 5 kernels were planned") != std::string::npos);
  CHECK(suite.result_of(7)["verdict"] == "pass");
  CHECK(suite.result_of(7)["reason"] == "shard 7 of 8 has no kernel: 5 kernels were planned");
  for (const int i : {1, 2, 3, 4, 5, 6, 8}) CHECK(suite.shard(i, 8).code == 0);
  const auto whole = suite.merge(8);
  INFO(whole.output);
  CHECK(whole.code == 0);
  // For every format of a report it is a result like others.
  for (const char* format : {"markdown", "github", "gitlab", "json", "text"})
    CHECK(suite.kgate({"report", suite.folder(7), "--format", format}).code == 0);
}

TEST_CASE("a shard of a selection of nothing is missing, as a whole run is") {
  const Suite suite;
  CHECK(suite.shard(2, 2, {"nothing"}).code == 6);
  suite.git({"rm", "-q", "-r", "kernels"});
  for (const int i : {1, 2}) {
    const auto answer = suite.shard(i, 2);
    INFO(answer.output);
    CHECK(answer.code == 6);
    CHECK(answer.output.find("kgate: missing") != std::string::npos);
  }
}

TEST_CASE("a kernel that is gone is told by the first shard alone, and blocks the merged run") {
  const Suite suite;
  suite.git({"rm", "-q", "-r", "kernels/gamma"});
  CHECK(suite.shard(1, 2).code == 6);
  CHECK(suite.shard(2, 2).code == 0);
  CHECK(suite.result_of(1)["shard"]["planned"] == Json({"alpha", "beta", "delta", "scale"}));
  const auto whole = suite.merge(2);
  INFO(whole.output);
  CHECK(whole.code == 6);
  CHECK(whole.output.find("gamma") != std::string::npos);
  CHECK(whole.output.find("this tree does not") != std::string::npos);
}

TEST_CASE("cases without the signature that the policy wants are told by one shard, whichever has the kernel") {
  const Suite suite;
  suite.write(".kgate/policy.toml", Suite::policy(""));
  suite.commit("signatures are wanted");
  std::vector<std::string> untrusted;
  for (const int i : {1, 2}) {
    CHECK(suite.kgate({"run", "--policy-ref", "main", "--shard", std::to_string(i) + "/2", "--out", suite.folder(i)})
              .code == 4);
    const Json result = suite.result_of(i);
    for (const auto& kernel : result["kernels"]) {
      CHECK(kernel["verdict"] == "untrusted");
      untrusted.push_back(kernel["name"]);
    }
  }
  CHECK(std::multiset<std::string>(untrusted.begin(), untrusted.end()) ==
        std::multiset<std::string>{"alpha", "beta", "delta", "gamma", "scale"});
  CHECK(suite.merge(2).code == 4);
}

TEST_CASE("a shard that could not begin, and does not know the plan, leaves its kernels missing in the merged run") {
  const Suite suite;
  suite.write(".kgate/policy.toml",
              Suite::policy("[trust]\nunsigned = \"warn\"\n[environment]\nsandbox = \"seccomp\"\n"));
  suite.commit("a sandbox is wanted");
  CHECK(suite.shard(1, 2).code == 0);
  const auto answer = suite.shard(2, 2, {"--sandbox", "none"});
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(suite.result_of(2)["shard"]["planned"].empty());
  const auto whole = suite.merge(2);
  INFO(whole.output);
  CHECK(whole.code == 6);
  CHECK(whole.output.find("it was planned, and no shard has it; shard 2 of 2 ended early: ") != std::string::npos);
}

TEST_CASE("a shard whose job died is missing in the merged run") {
  const Suite suite;
  CHECK(suite.shard(1, 2).code == 0);
  const auto whole = suite.merge(1);
  INFO(whole.output);
  CHECK(whole.code == 6);
  CHECK(whole.output.find("of 2 shards there is no result of 2") != std::string::npos);
}

TEST_CASE("what is no shard is refused with what to write, and only run and check have shards") {
  const CliFixture cli;
  const auto refused = [&](const std::string& shard) {
    const auto answer = cli.kgate({"run", "--shard", shard});
    CHECK(answer.code == 64);
    return answer.output;
  };
  const std::string form = " is not of the form I/N; the first of four shards is 1/4\n";
  for (const char* text :
       {"4", "x", "", "/", "1/", "/4", "a/4", "1/b", "1/4/2", "-1/4", "1/-4", " 1/4", "+1/4", "1.5/4"})
    CHECK(refused(text) == "kgate: --shard \"" + std::string(text) + "\":" + form);
  CHECK(refused("0/4") == "kgate: --shard \"0/4\": is none of its shards; they are 1/4 to 4/4\n");
  CHECK(refused("5/4") == "kgate: --shard \"5/4\": is none of its shards; they are 1/4 to 4/4\n");
  CHECK(refused("1/0") == "kgate: --shard \"1/0\": has no shard; the first of four shards is 1/4\n");
  for (const char* text : {"1/100001", "1/99999999999999999999999"})
    CHECK(refused(text) == "kgate: --shard \"" + std::string(text) +
                               "\": has too many shards: the most are 100000; a shard a GPU is enough\n");
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"accept", "scale"}, {"sign", "scale"}, {"drift"}, {"doctor"}, {"verify"}}) {
    auto arguments = verb;
    arguments.insert(arguments.end(), {"--shard", "1/2"});
    const auto answer = cli.kgate(arguments);
    CHECK(answer.code == 64);
    CHECK(answer.output.find("\"--shard\": is not known") != std::string::npos);
  }
}

TEST_CASE("shards that judged different working trees of one commit are no run") {
  const Suite suite;
  // The same kernel is changed in both, so that the split is the same.
  suite.replace("kernels/beta/scale.cu", "__global__", "/* one */ __global__");
  CHECK(suite.shard(1, 2).code == 0);
  suite.replace("kernels/beta/scale.cu", "/* one */", "/* another */");
  CHECK(suite.shard(2, 2).code == 0);
  const auto whole = suite.merge(2);
  INFO(whole.output);
  CHECK(whole.code == 64);
  CHECK(whole.output.find("its plan is \"sha256:") != std::string::npos);
}
