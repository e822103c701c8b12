#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using kgate::Json;

namespace {

constexpr const char* kTimed = R"(
[[case]]
name = "timed"
role = "performance"
sizes = { n = 20000 }
inputs = { x = { normal = [0.0, 1.0] } }
seed = "fresh"
tolerance = { y = { rtol = 1e-6 } }
)";

// The fixture with a performance case, and a state folder of its own.
class NoiseFixture : public CliFixture {
 public:
  NoiseFixture() {
    environment["XDG_STATE_HOME"] = state().string();
    const std::string cases(kgate::text_of(kgate::read_file(root() / "kernels/scale/cases.toml", 1 << 20)));
    write("kernels/scale/cases.toml", cases + kTimed);
    commit("timed");
  }
  std::filesystem::path state() const { return root().parent_path() / "state"; }
  std::filesystem::path record() const { return state() / "kgate/noise/host.json"; }

  Answer noise(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"doctor", "--noise", "--backend", "host", "--cache", cache()});
    return kgate(more);
  }
  // stdout alone.
  Json noise_json(std::vector<std::string> more) const {
    more.insert(more.begin(), {"doctor", "--noise", "--backend", "host", "--cache", cache(), "--format", "json"});
    auto options = command(more);
    options.command.insert(options.command.begin(), {"/bin/sh", "-c", "exec \"$0\" \"$@\" 2>/dev/null"});
    const auto result = kgate::run_command(options, {});
    CHECK(result.status.code == 0);
    return Json::parse(result.output);
  }

 private:
  std::string cache() const { return (root().parent_path() / "cache").string(); }
};

}  // namespace

TEST_CASE("doctor --noise tells what this machine can see of a kernel, as JSON, and keeps no record of a selection") {
  const NoiseFixture cli;
  const Json noise = cli.noise_json({"scale"});
  CHECK(noise["schema"] == "kgate.noise/1");
  CHECK(noise["backend"] == "host");
  CHECK(noise["driver"] == "");
  CHECK(noise["seconds_per_case"] == 5);
  for (const char* key : {"measured", "device", "class", "round_spread", "overlap", "environment"})
    CHECK(noise.contains(key));
  for (const char* key : {"harmless", "blocks", "spread", "quiet_spread", "shift", "shift_error"})
    CHECK(noise["overlap"].contains(key));
  REQUIRE(noise["cases"].size() == 1);
  const Json& one = noise["cases"][0];
  INFO(one.dump(2));
  CHECK(one["kernel"] == "scale");
  CHECK(one["case"] == "timed");
  CHECK(one["regime"] == "batch");
  CHECK(one["rounds"] == 6);
  CHECK(one["blocks"] == 120);
  for (const char* key :
       {"us", "block_ms", "block_spread", "round_spread", "error_after_one_second", "smallest_slowdown"}) {
    INFO(key);
    CHECK(one[key].is_number());
  }
  CHECK(one["even"]["low"].get<double>() <= one["even"]["ratio"].get<double>());
  CHECK(one["even"]["ratio"].get<double>() <= one["even"]["high"].get<double>());
  CHECK(one["zone"]["tolerate"].get<double>() < one["zone"]["block"].get<double>());
  for (const char* key : {"size", "ratio", "low", "high"}) CHECK(one["planted"][key].is_number());
  CHECK_FALSE(std::filesystem::exists(cli.state()));
}

TEST_CASE("doctor --noise of all kernels is kept, and later runs use it") {
  const NoiseFixture cli;
  const auto answer = cli.noise();
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(answer.output.find("scale: timed") != std::string::npos);
  CHECK(answer.output.find("between processes: ") != std::string::npos);
  CHECK(answer.output.find("kept for later runs: " + cli.record().string() + "\n") != std::string::npos);
  REQUIRE(std::filesystem::exists(cli.record()));
  Json record = kgate::parse_json(kgate::text_of(kgate::read_file(cli.record(), 1 << 20)), "record");
  CHECK(record["schema"] == "kgate.noise/1");
  CHECK(record["cases"].size() == 1);
  // A usable one is used without a word; what it says of a busy machine is not this test's matter.
  record["round_spread"] = 0.001;
  kgate::write_file_atomic(cli.record(), std::string_view(record.dump()));
  CHECK(cli.kgate({"run", "--policy-ref", "main"}).output.find("the defaults hold") == std::string::npos);
  // A broken one is told, and the run goes on.
  kgate::write_file_atomic(cli.record(), std::string_view("{}"));
  const auto checked = cli.kgate({"run", "--policy-ref", "main"});
  CHECK(checked.code == 0);
  const auto warning = cli.record().string() + ": cannot be read as a record of doctor --noise; the defaults hold";
  CHECK(checked.output.find(warning) != std::string::npos);
  const Json warnings = cli.result()["warnings"];
  CHECK(std::find(warnings.begin(), warnings.end(), Json(warning)) != warnings.end());
}

TEST_CASE("a record that cannot be kept is an error after the answer, which is there") {
  const NoiseFixture cli;
  kgate::write_file_atomic(cli.state(), std::string_view("a file where a folder should be"));
  const auto answer = cli.noise();
  INFO(answer.output);
  CHECK(answer.code != 0);
  CHECK(answer.code != 70);
  CHECK(answer.output.find("scale: timed") != std::string::npos);
  CHECK(answer.output.find("cannot be made a folder") != std::string::npos);
  CHECK(answer.output.find("a defect of kgate's own") == std::string::npos);
}

TEST_CASE("where no case could be measured the answer is environment, and an older record stays") {
  const NoiseFixture cli;
  const std::string older = "an older record";
  kgate::write_file_atomic(cli.record(), std::string_view(older));
  cli.replace("kernels/scale/scale.cu", "2.0f * x[i]", "2.0f * x[i];\n  if (i == 0) *(volatile int*)0 = 1");
  const auto answer = cli.noise();
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(answer.output.find("crashed (SIGSEGV)") != std::string::npos);
  CHECK(kgate::text_of(kgate::read_file(cli.record(), 1 << 20)) == older);
}

TEST_CASE("doctor of a kernel without --noise is a usage error with a remedy") {
  const CliFixture cli;
  const auto answer = cli.kgate({"doctor", "scale"});
  CHECK(answer.code == 64);
  CHECK(answer.output == "kgate doctor scale: looks at the machine, not at kernels; add --noise to time them\n");
}

TEST_CASE("doctor --noise of a kernel that is not there is missing, with the nearest name") {
  const CliFixture cli;
  const auto answer = cli.kgate({"doctor", "--noise", "--backend", "host", "scael"});
  CHECK(answer.code == 6);
  CHECK(answer.output.find("kgate: kernel \"scael\": is neither in the working tree nor in the base nor in the ledger; "
                           "did you mean \"scale\"?\n") != std::string::npos);
}

TEST_CASE("doctor --noise where nothing has a performance case says what to add") {
  const CliFixture cli;
  const auto answer = cli.kgate({"doctor", "--noise", "--backend", "host"});
  INFO(answer.output);
  CHECK(answer.code == 6);
  CHECK(answer.output.find(
            "kgate: noise: no kernel that was selected has a performance case that runs on the host backend; "
            "add a [[case]] with role = \"performance\" to a cases.toml\n") != std::string::npos);
}
