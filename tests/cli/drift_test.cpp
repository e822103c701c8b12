#include <ctime>
#include <filesystem>

#include <fmt/format.h>

#include "base/utc.h"
#include "bench/history.h"
#include "gate/trust/key.h"
#include "gate/trust/ledger.h"
#include "gate/trust/repository.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using kgate::Json;
using kgate::bench::SimulatedHistory;
using namespace kgate::trust;

namespace {

constexpr const char* kPolicy = R"(schema = "kgate.policy/1"
[trust]
unsigned = "warn"
[[key]]
file = "keys/accept.pub.pem"
roles = ["accept"]
[[key]]
file = "keys/history.pub.pem"
roles = ["history"]
)";

constexpr const char* kTimed = R"(
[[case]]
name = "timed"
role = "performance"
sizes = { n = 20000 }
inputs = { x = { normal = [0.0, 1.0] } }
seed = "fresh"
tolerance = { y = { rtol = 1e-5 } }
)";

// A repository with an accepted kernel to be, and a key for nights.
class Nightly : public CliFixture {
 public:
  Nightly() {
    for (const char* name : {"accept", "history"}) {
      const auto key = PrivateKey::generate();
      if (std::string(name) == "history") history_key = key.pem("");
      write(fmt::format(".kgate/keys/{}.pub.pem", name), key.public_key().pem());
      const std::string file = fmt::format("private/{}.key.pem", name);
      write(file, key.pem(""));
      std::filesystem::permissions(root() / file,
                                   std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    }
    write(".gitignore", "private/\n");
    write(".kgate/policy.toml", kPolicy);
    const std::string cases(kgate::text_of(kgate::read_file(root() / "kernels/scale/cases.toml", 1 << 20)));
    write("kernels/scale/cases.toml", cases + kTimed);
    commit("keys");
  }

  std::string key(const std::string& name) const { return (root() / "private" / (name + ".key.pem")).string(); }
  Answer accept() const {
    return kgate({"accept", "scale", "--reason", "first version", "--key", key("accept"), "--out", out().string(),
                  "--backend", "host", "--cache", ""});
  }
  Answer drift(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), "drift");
    arguments.insert(arguments.end(), {"--out", out().string(), "--cache", ""});
    return kgate(std::move(arguments));
  }
  Answer tonight(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.end(), {"--backend", "host"});
    return drift(std::move(arguments));
  }
  Json report() const {
    return kgate::parse_json(kgate::text_of(kgate::read_file(out() / "drift.json", 64 << 20)), "drift.json");
  }
  // Appends nights as kgate drift does, signed by the history's key; `time`: of the only one.
  void append(const SimulatedHistory& simulated, const std::string& kernel, const std::string& time = "") const {
    const auto repository = Repository::open(root().string());
    const GitProgram git(root(), environment);
    const auto secret = PrivateKey::from_pem(history_key, "", "key");
    const Keyring keyring({{secret.public_key(), "keys/history.pub.pem", {"history"}, {}, {}}}, {});
    AppendOptions options;
    options.ledger.branch = "kgate/history";
    options.ledger.role = "history";
    options.ledger.predicate = kHistoryPredicate;
    for (std::int64_t i = 0; i < simulated.nights; ++i) {
      auto night = simulated.night(i);
      if (night.kernels.empty()) continue;
      if (!time.empty()) night.time = time;
      auto figures = night.kernels.extract("kernel_000");
      figures.key() = kernel;
      figures.mapped().cases["timed"] = figures.mapped().cases.extract("case_0").mapped();
      night.kernels.clear();
      night.kernels.insert(std::move(figures));
      kgate::trust::append(repository, git, keyring, options,
                           kgate::drift::draft_of(night, simulated.fingerprint_of(i)),
                           [&](Envelope& envelope) { add_signature(envelope, secret); });
    }
  }
  SimulatedHistory simulated(std::int64_t nights) const {
    SimulatedHistory history;
    history.nights = nights;
    history.kernels = 1;
    return history;
  }

  std::string history_key;
};

bool says(const CliFixture::Answer& answer, const std::string& text) {
  return answer.output.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("a night is timed, signed and appended, and the next one finds it") {
  const Nightly cli;
  REQUIRE(cli.accept().code == 0);
  auto answer = cli.tonight({"--key", cli.key("history")});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(says(answer, "no drift that the policy minds\n"));
  CHECK(says(answer, "this night: record 1 of kgate/history, signed by keys/history.pub.pem,"));
  CHECK(cli.report()["appended"]["where"] == "on the local branch, for want of a remote origin");
  CHECK(says(answer, "no change can be told yet: it takes 6 nights before it and 6 after\n"));
  CHECK(cli.report()["appended"]["sequence"] == 1);
  CHECK(cli.report()["kernels"][0]["cases"][0]["points"]["us"].size() == 1);

  answer = cli.tonight({"--key", cli.key("history")});
  CHECK(answer.code == 0);
  CHECK(says(answer, "record 2 of kgate/history"));
  CHECK(says(answer, "note: 1 night shares a day with a later one, whose figures count\n"));
  CHECK(cli.report()["nights"].size() == 2);
  CHECK(cli.report()["nights"][0]["origin"] == "record 1");
  CHECK(cli.report()["nights"][1]["origin"] == "now");
  CHECK(cli.report()["kernels"][0]["cases"][0]["points"]["us"].size() == 1);

  const auto verified = cli.kgate({"verify"});
  CHECK(verified.code == 0);
  CHECK(says(verified, "ok         kgate/history: 2 records, 3 objects, newest sha256:"));
}

TEST_CASE("without a key a night is timed and reported, and that it was not appended is said") {
  const Nightly cli;
  REQUIRE(cli.accept().code == 0);
  const auto answer = cli.tonight();
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(
      says(answer, "note: this night was not appended to kgate/history, for want of a key: --key FILE or KGATE_KEY, "));
  CHECK(cli.report()["appended"].is_null());
  CHECK(cli.report()["measured"] == true);
}

TEST_CASE("a key without the role history is refused before anything is measured") {
  const Nightly cli;
  REQUIRE(cli.accept().code == 0);
  const auto answer = cli.tonight({"--key", cli.key("accept")});
  CHECK(answer.code == 4);
  CHECK(says(answer,
             ": keys/accept.pub.pem has the role accept, not history; have it signed with keys/history.pub.pem\n"));
  CHECK_FALSE(says(answer, "time"));
}

TEST_CASE("nothing that was accepted, and nothing that was recorded, is told with what to do") {
  const Nightly cli;
  auto answer = cli.tonight();
  INFO(answer.output);
  CHECK(answer.code == 6);
  CHECK(
      says(answer,
           "kgate: kgate/ledger: has nothing that was accepted of the kernels that were selected; kgate accept KERNEL "
           "--reason TEXT\n"));
  answer = cli.drift({"--no-measure"});
  CHECK(answer.code == 6);
  CHECK(says(answer,
             "kgate: kgate/history: has no nights yet; run kgate drift where the GPU is, with --key to record the "
             "night; or import results, --import\n"));
}

TEST_CASE("what is recorded is looked at without a GPU: since when, with which driver, by how much") {
  const Nightly cli;
  auto history = cli.simulated(40);
  history.changes = {{25, 1.05, "", "580.95", "", 0}};
  cli.append(history, "scale");
  auto answer = cli.drift({"--no-measure"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(says(answer, "NVIDIA H200 (sm_90): 40 nights, 2026-01-01 to 2026-02-09; driver 580.95; toolkit 13.0\n"));
  CHECK(says(answer, "since the night of 2026-01-26, with driver 580.82.07 -> 580.95: +"));
  CHECK(says(answer, " on 1 of 1 kernel\n"));
  const Json event = cli.report()["events"][0];
  CHECK(event["night"] == "2026-01-26");
  CHECK(event["cause"] == "machine");
  CHECK(event["kernels"] == Json{"scale"});

  answer = cli.drift({"--no-measure", "--since", "2026-01-27"});
  CHECK(cli.report()["events"].empty());
  CHECK(cli.report()["nights"].size() == 14);
  answer = cli.drift({"--no-measure", "--since", "yesterday"});
  CHECK(answer.code == 64);
  CHECK(answer.output == "kgate: --since \"yesterday\": is no date; write it as 2026-03-01\n");
  answer = cli.drift({"--no-measure", "--hardware", "NVIDIA B200"});
  CHECK(answer.code == 6);
  CHECK(says(answer, "kgate: --hardware \"NVIDIA B200\": has no nights; there are \"NVIDIA H200\" ("));
}

TEST_CASE("nights of another kind of GPU are named, and are no part of this one's series") {
  const Nightly cli;
  REQUIRE(cli.accept().code == 0);
  cli.append(cli.simulated(3), "scale");
  const auto answer = cli.tonight();
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(says(answer, "note: nights of another kind of GPU are there too: NVIDIA H200 ("));
  CHECK(cli.report()["kernels"][0]["cases"][0]["points"]["us"].size() == 1);
}

TEST_CASE("a policy that blocks on the machine blocks on what became slower since it was accepted") {
  const Nightly cli;
  // The simulated nights timed record 1 of the ledger, which is this one.
  REQUIRE(cli.accept().code == 0);
  auto history = cli.simulated(40);
  history.changes = {{25, 1.05, "", "580.95", "", 0}};
  cli.append(history, "scale");
  CHECK(cli.drift({"--no-measure"}).code == 0);
  cli.write(".kgate/policy.toml", std::string(kPolicy) + "[profile.nightly]\nblock_on = [\"machine\"]\n");
  cli.commit("block");
  const auto answer = cli.drift({"--no-measure"});
  INFO(answer.output);
  CHECK(answer.code == 1);
  CHECK(says(answer, "regressed: scale: timed: +"));
  CHECK(says(answer, " since 2026-01-26, driver 580.82.07 -> 580.95\n"));
}

TEST_CASE("a clock that went back behind the newest night is an error, and nothing is measured") {
  const Nightly cli;
  REQUIRE(cli.accept().code == 0);
  // Within what the chain takes for a clock that differs.
  const std::string time = kgate::utc_time(std::time(nullptr) + 5 * 3600);
  cli.append(cli.simulated(1), "scale", time);
  const auto answer = cli.tonight();
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(says(answer, "kgate: this machine's clock: says "));
  CHECK(says(answer, ", and the newest night of the history is dated " + time +
                         "; set the clock; where it is right, that record has to go: docs/ledger.md says how\n"));
  CHECK_FALSE(says(answer, "time scale"));
}

TEST_CASE("results of kgate run are imported as nights, and others' results are left out with a word") {
  const Nightly cli;
  REQUIRE(cli.accept().code == 0);
  const auto run =
      cli.kgate({"run", "--time-unchanged", "--profile", "nightly", "--out", (cli.root() / "../run").string()});
  INFO(run.output);
  const std::string path = (cli.root() / "../run/result.json").string();
  Json result = kgate::parse_json(kgate::text_of(kgate::read_file(path, 64 << 20)), path);
  result["started"] = "2026-01-05T02:00:00Z";
  cli.write("private/old.json", result.dump());
  auto answer = cli.drift({"--no-measure", "--import", "private/old.json"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  REQUIRE(cli.report()["nights"].size() == 1);
  CHECK(cli.report()["nights"][0]["origin"] == "private/old.json");
  CHECK(cli.report()["kernels"][0]["cases"][0]["points"]["accepted"][0] == Json({0, 1}));

  answer = cli.drift({"--no-measure", "--import", "private/none.json"});
  CHECK(answer.code == 64);
  cli.write("private/none.json", "{}");
  answer = cli.drift({"--no-measure", "--import", "private/none.json"});
  CHECK(answer.code == 64);
  CHECK(says(answer, "kgate: private/none.json: "));
}
