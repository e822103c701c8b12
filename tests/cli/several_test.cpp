// A run over several devices of one host: on the host backend every word of --device is a lane of its own.
#include <set>

#include "fingerprint/nvml.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using kgate::Json;

namespace {

// scale and three kernels like it, in one commit.
class Suite : public CliFixture {
 public:
  Suite() {
    for (const char* name : {"alpha", "beta", "gamma"}) {
      const std::string folder = std::string("kernels/") + name + "/";
      for (const char* file : {"kernel.toml", "scale.cu", "cases.toml", "reference.cu"}) {
        std::string content(kgate::text_of(kgate::read_file(root() / "kernels/scale" / file, 1 << 20)));
        const auto place = content.find("kernel = \"scale\"");
        if (place != std::string::npos) content.replace(place, 16, std::string("kernel = \"") + name + "\"");
        write(folder + file, content);
      }
    }
    commit("four kernels");
  }
};

std::map<std::string, Json> by_name(const Json& result) {
  std::map<std::string, Json> kernels;
  for (const auto& kernel : result["kernels"]) kernels[kernel["name"]] = kernel;
  return kernels;
}

}  // namespace

TEST_CASE("a run over two devices judges every kernel once and says which device each ran on") {
  const Suite suite;
  const auto answer = suite.kgate({"run", "--policy-ref", "main", "--device", "left,right"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  const Json result = suite.result();
  CHECK(result["verdict"] == "pass");
  REQUIRE(result["kernels"].size() == 4);
  std::map<std::string, int> used;
  for (const auto& [name, kernel] : by_name(result)) ++used[kernel["device"]];
  CHECK(used == std::map<std::string, int>{{"left", 2}, {"right", 2}});
  REQUIRE(result["devices"].size() == 2);
  CHECK(result["devices"][0]["kernels"] == 2);
  CHECK(answer.output.find("2 GPUs") != std::string::npos);
  CHECK(answer.output.find("left: 2 kernels in ") != std::string::npos);
}

TEST_CASE("several devices come to the same verdicts as one") {
  const Suite suite;
  suite.replace("kernels/beta/scale.cu", "2.0f * x[i]", "3.0f * x[i]");
  suite.replace("kernels/gamma/scale.cu", "__global__", "#error no\n__global__");
  CHECK(suite.kgate({"check", "--policy-ref", "main", "--seed", "12"}).code == 2);
  const auto one = by_name(suite.result());
  CHECK(suite.kgate({"check", "--policy-ref", "main", "--seed", "12", "--device", "a,b,c"}).code == 2);
  const auto three = by_name(suite.result());
  REQUIRE(one.size() == three.size());
  for (const auto& [name, kernel] : one) {
    INFO(name);
    CHECK(three.at(name)["verdict"] == kernel["verdict"]);
    CHECK(three.at(name)["reason"] == kernel["reason"]);
    CHECK(three.at(name)["cases"] == kernel["cases"]);
  }
}

TEST_CASE("more devices than kernels leave the rest idle, and the run whole") {
  const CliFixture cli;
  const auto answer = cli.kgate({"check", "--policy-ref", "main", "--device", "a,b,c"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(cli.result()["kernels"].size() == 1);
}

TEST_CASE("a kernel that vanished is told once by a run over several devices") {
  const Suite suite;
  std::filesystem::remove_all(suite.root() / "kernels/beta");
  const auto answer = suite.kgate({"check", "--policy-ref", "main", "--device", "a,b", "--profile", "nightly"});
  INFO(answer.output);
  CHECK(answer.code == 6);
  const Json result = suite.result();
  REQUIRE(result["kernels"].size() == 4);
  CHECK(by_name(result).at("beta")["verdict"] == "missing");
}

TEST_CASE("nothing selected is an error on several devices too") {
  const Suite suite;
  const auto answer = suite.kgate({"check", "--policy-ref", "main", "--device", "a,b", "alhpa"});
  INFO(answer.output);
  CHECK(answer.code == 6);
  CHECK(answer.output.find("did you mean \"alpha\"?") != std::string::npos);
}

TEST_CASE("on a machine without a GPU --device all is its one processor") {
  const CliFixture cli;
  const auto answer = cli.kgate({"check", "--policy-ref", "main", "--device", "all"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK_FALSE(cli.result().contains("devices"));
}

TEST_CASE("a GPU that is named where there is none is an environment failure, and never a pass on the processor") {
  const CliFixture cli;
  if (kgate::fingerprint::nvidia_gpu_expected()) KGATE_SKIP("this machine has an NVIDIA GPU");
  for (const char* device : {"0", "h200", "0,2", "all"}) {
    const auto answer = cli.kgate({"check", "--policy-ref", "main", "--backend", "auto", "--device", device});
    INFO(answer.output);
    CHECK(answer.code == 5);
    CHECK(answer.output.find("there is no NVIDIA driver here; leave --device out, or say --backend host") !=
          std::string::npos);
  }
}

TEST_CASE("a verb that works on one device refuses several, with what to do") {
  const CliFixture cli;
  const auto answer = cli.kgate({"bisect", "HEAD", "HEAD", "scale", "--device", "all"});
  CHECK(answer.output ==
        "kgate: --device all: may mean several GPUs, and kgate bisect works on one; name it by its index or UUID\n");
  CHECK(answer.code == 64);
}

TEST_CASE("a shard is spread over several devices, and the shards of a run are merged all the same") {
  const Suite suite;
  std::vector<std::string> folders;
  for (const char* shard : {"1/2", "2/2"}) {
    folders.push_back((suite.out() / std::string(1, shard[0])).string());
    const auto answer =
        suite.kgate({"check", "--policy-ref", "main", "--device", "a,b", "--shard", shard, "--out", folders.back()});
    INFO(answer.output);
    CHECK(answer.code == 0);
  }
  const auto whole = suite.kgate({"report", "--merge", folders[0], folders[1], "--format", "json"});
  INFO(whole.output);
  CHECK(whole.code == 0);
  CHECK(kgate::parse_json(whole.output, "report")["kernels"].size() == 4);
}

TEST_CASE("a list of devices with an empty name, a name twice or too many is refused with what to do") {
  const CliFixture cli;
  const auto refused = [&](const std::string& list) {
    const auto answer = cli.kgate({"check", "--policy-ref", "main", "--device", list});
    CHECK(answer.code == 64);
    return answer.output;
  };
  CHECK(refused("a,,b") == "kgate: --device a,,b: has an empty name in its list; write for example 0,2\n");
  CHECK(refused("a,") == "kgate: --device a,: has an empty name in its list; write for example 0,2\n");
  CHECK(refused("a,b,a") == "kgate: --device a,b,a: names a twice; name each once\n");
  std::string many = "a0";
  for (int i = 1; i < 65; ++i) many += ",a" + std::to_string(i);
  CHECK(refused(many) == "kgate: --device: names 65 devices; name at most 64\n");
}
