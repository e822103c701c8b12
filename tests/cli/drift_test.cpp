#include <ctime>

#include "base/utc.h"
#include "tests/cli/nightly.h"
#include "tests/support/catch.h"

using kgate::Json;

namespace {

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
  CHECK(says(answer, "no change can be told yet: it takes nights of 6 days before it and of 6 after\n"));
  CHECK(cli.report()["appended"]["sequence"] == 1);
  CHECK(cli.report()["kernels"][0]["cases"][0]["points"]["us"].size() == 1);
  // The page is there, and the answer says where.
  CHECK(says(answer, "report: " + (cli.out() / "drift.html").string() +
                         " (the same for programs: " + (cli.out() / "drift.json").string() + ")\n"));
  const auto page = kgate::read_file(cli.out() / "drift.html", 64 << 20);
  const std::string html(kgate::text_of(page));
  CHECK(html.starts_with("<!DOCTYPE html>"));
  CHECK(html.find("scale") != std::string::npos);
  CHECK(html.find("</html>") != std::string::npos);

  answer = cli.tonight({"--key", cli.key("history")});
  CHECK(answer.code == 0);
  CHECK(says(answer, "record 2 of kgate/history"));
  CHECK(says(answer, "): 2 nights on 1 day, 2"));
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
  cli.write(".kgate/policy.toml", Nightly::kPolicy + "[profile.nightly]\nblock_on = [\"machine\"]\n");
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
  cli.write("private/none.json", "{\"schema\": ");
  answer = cli.drift({"--no-measure", "--import", "private/none.json"});
  CHECK(answer.code == 64);
  CHECK(answer.output ==
        "kgate: private/none.json: is not valid JSON at byte 11 (line 1, column 12): the text ends too early; it was "
        "cut short, or changed since it was written: have it written again\n");
}

TEST_CASE("an imported result from the future is refused: it would be the newest night for as long as that") {
  const Nightly cli;
  REQUIRE(cli.accept().code == 0);
  REQUIRE(cli.kgate({"run", "--time-unchanged", "--profile", "nightly"}).code == 0);
  Json result = cli.result();
  result["started"] = "2999-01-05T02:00:00Z";
  cli.write("private/future.json", result.dump());
  const auto answer = cli.drift({"--no-measure", "--import", "private/future.json"});
  CHECK(answer.code == 64);
  CHECK(says(answer,
             "kgate: private/future.json: was made on 2999-01-05T02:00:00Z, which is in the future: this "
             "machine's clock says 2"));
  CHECK(says(answer, "; leave it out; where the date is right, set the clock\n"));
}

TEST_CASE("options of drift that would be left aside are an error, and its help says its own defaults") {
  const Nightly cli;
  const auto refused = [&](std::vector<std::string> arguments, const std::string& text) {
    const auto answer = cli.drift(std::move(arguments));
    CHECK(answer.code == 64);
    CHECK(answer.output == "kgate drift " + text + "\n");
  };
  refused({"--hardware", "NVIDIA H200"},
          "--hardware: is for --no-measure: what is timed are the nights of this machine's GPU; leave it out, or add "
          "--no-measure");
  refused({"--no-measure", "--device", "0"},
          "--device: says where to time, and --no-measure times nothing; leave it out; --hardware says whose nights to "
          "look at");
  refused({"--no-measure", "--key", cli.key("history")},
          "--key: signs a night, and --no-measure makes none; leave it out, or leave --no-measure out");
  refused({"--no-measure", "--no-push"},
          "--no-push: is about a new night, and --no-measure makes none; leave it out, or leave --no-measure out");
  const auto help = cli.kgate({"drift", "--help"});
  CHECK(help.code == 0);
  CHECK_FALSE(says(help, "=pr"));
  CHECK(says(help, "=nightly"));
  CHECK(says(help, "folder for drift.html and drift.json"));
  CHECK(says(help, "kgate drift --no-measure --since 2026-01-01"));
}
