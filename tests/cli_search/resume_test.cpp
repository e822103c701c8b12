// A search that is ended at any moment goes on where it was: killed, or interrupted by its user.
#include <chrono>
#include <map>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <signal.h>

#include "tests/cli_search/processes.h"
#include "tests/cli_search/search_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::test;
using std::chrono::milliseconds;

namespace {

constexpr const char* kBounds = "iterations = 10\nseconds = 3000\ngpu_seconds = 2000\npatience = 1000\nrepairs = 1\n";

// A bit of everything; what it answers is a function of what was tried.
ModelStep answer(const ModelRequest& request) {
  const Asked asked(request);
  if (asked.repairs() && asked.tried() == 2) return says(proposes("counting", counting_to("60000")));
  if (asked.repairs()) return says(R"({"exhausted": "it is wrong at heart"})");
  std::string wrong = counting_to("10");
  wrong.replace(wrong.find("2.0f"), 4, "2.1f");
  switch (asked.tried()) {
    case 1:
      return says(proposes("counting", counting_to("900;")));
    case 3:
      return says(proposes("rounding", wrong));
    case 4:
      return says(proposes("counting", counting_to("15")));
    case 5:
      return says(proposes("counting", counting_to("9000")));
    default:
      return says(R"({"exhausted": "that is all"})");
  }
}

// All that two runs of one search have in common.
Json found_by(const SearchFixture& cli) {
  const Json summary = cli.summary();
  Json versions = Json::array();
  for (const Json& row : summary["tried"])
    versions.push_back({row["number"], row["iteration"], row["repair_of"], row["candidate"], row["parent"],
                        row["outcome"], row["direction"], row["parameters"]});
  return {{"tried", versions},
          {"best", summary["best"]},
          {"stopped", summary["stopped"]},
          {"patch", cli.file("best.patch")},
          {"source", cli.file("best.cu")},
          {"kernel", cli.file("best.kernel.toml")}};
}

// What a killed search had started: it ends with it, in its own time.
bool all_gone(const std::map<pid_t, std::string>& processes) {
  for (const auto& [id, name] : processes) {
    for (int i = 0; i < 1000 && is_running(id, name); ++i) std::this_thread::sleep_for(milliseconds(20));
    if (is_running(id, name)) return false;
  }
  return true;
}

// Searches until so many kills have come to pass; each search has to end as the one that nobody killed.
void check_killed(const SearchFixture& cli, int kills) {
  const auto begun = std::chrono::steady_clock::now();
  const std::vector<std::string> same{"--seed", "20"};  // of those that choose at random
  const auto whole = cli.search(same);
  INFO(whole.output);
  REQUIRE(whole.code == 0);
  const auto took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begun);
  const Json expected = found_by(cli);

  std::mt19937 random(20);
  std::uniform_int_distribution<long> moment(0, std::max<long>(took.count() / 6, 1));
  while (kills > 0) {
    std::filesystem::remove_all(cli.out());
    std::optional<ExitStatus> status;
    while (!status) {
      auto process = Process::start(cli.search_command(same));
      status = process.wait(kills > 0 ? milliseconds(moment(random)) : std::chrono::minutes(10));
      if (status) break;
      REQUIRE(kills > 0);
      const auto started = descendants_of(process.id());
      process.kill();
      CHECK(all_gone(started));
      --kills;
    }
    CHECK(status->code == 0);
    CHECK(status->signal == 0);
    const Json now = found_by(cli);
    INFO(cli.file("journal.jsonl"));
    CHECK(now == expected);
  }
}

std::string journal_of(const SearchFixture& cli) {
  return cli.has("journal.jsonl") ? cli.file("journal.jsonl") : "";
}

}  // namespace

TEST_CASE("a search that is killed at twenty moments ends as one that was not") {
  const SearchFixture cli;
  const ScriptedModel model(answer);
  cli.allow(kBounds + model_lines(model));
  check_killed(cli, 20);
  CHECK(found_by(cli)["source"] == counting_to("15"));
}

TEST_CASE("a tuner that is killed finds what it would have found") {
  const SearchFixture cli;
  cli.allow(kBounds);
  check_killed(cli, 4);
  CHECK(cli.file("best.kernel.toml").find("defines = { STEPS = 100 }") != std::string::npos);
}

TEST_CASE("an interrupted search says so, and the same command goes on") {
  const SearchFixture cli;
  bool hang = true;  // of the server's thread alone
  const ScriptedModel model([&](const ModelRequest& request) {
    ModelStep step = Asked(request).tried() == 1 ? says(proposes("counting", counting_to("100")))
                                                 : says(R"({"exhausted": "that is all"})");
    if (Asked(request).tried() == 2 && hang) step.hang_after = 0;
    if (Asked(request).tried() == 2) hang = false;
    return step;
  });
  cli.allow(kBounds + model_lines(model));
  auto process = Process::start(cli.search_command());
  std::optional<ExitStatus> status;
  while (model.requests().size() < 2 && !status) status = process.wait(milliseconds(20));
  REQUIRE_FALSE(status);
  ::kill(process.id(), SIGINT);
  status = process.wait(std::chrono::minutes(2));
  REQUIRE(status);
  CHECK(status->code == 130);
  Json summary = cli.summary();
  CHECK(summary["stopped"].is_null());
  CHECK(summary["best"] == 1);
  CHECK(cli.file("best.cu") == counting_to("100"));
  CHECK(cli.file("report.html").find("it was interrupted, and goes on where it is started once more") !=
        std::string::npos);
  CHECK(cli.journal().back()["kind"] == "judged");

  const auto answer = cli.search();
  INFO(answer.output);
  CHECK(answer.code == 0);
  summary = cli.summary();
  CHECK(summary["stopped"]["why"] == "proposers");
  CHECK(summary["tried"].size() == 2);
  CHECK(summary["best"] == 1);
  CHECK(model.requests().size() == 3);
  CHECK(cli.journal()[4]["kind"] == "resumed");
}

TEST_CASE("a search that is interrupted while its winner is confirmed keeps it, and says that it is not confirmed") {
  const SearchFixture cli;
  // In its hold-out case, which the confirmation is the first to try, the winner never ends.
  const std::string waits = counting_to("100 || n == 77");
  const ScriptedModel model({says(proposes("counting", waits)), says(R"({"exhausted": "that is all"})")});
  cli.allow(kBounds + model_lines(model));
  auto process = Process::start(cli.search_command());
  std::optional<ExitStatus> status;
  while (journal_of(cli).find("\"stopped\"") == std::string::npos && !status) status = process.wait(milliseconds(20));
  if (!status) status = process.wait(milliseconds(1000));
  REQUIRE_FALSE(status);
  ::kill(process.id(), SIGINT);
  status = process.wait(std::chrono::minutes(2));
  REQUIRE(status);
  CHECK(status->code == 130);
  const Json summary = cli.summary();
  CHECK(summary["stopped"]["why"] == "proposers");
  CHECK(summary["confirmation"].is_null());
  CHECK(summary["best"] == 1);
  CHECK(cli.file("best.cu") == waits);
  CHECK(std::filesystem::is_empty(cli.environment.at("TMPDIR")));
}

TEST_CASE("an interrupt does not wait for a version that never ends") {
  const SearchFixture cli;
  const ScriptedModel model({says(proposes("waiting", counting_to("1 || i == 0")))});
  cli.allow(kBounds + model_lines(model));
  auto process = Process::start(cli.search_command());
  std::optional<ExitStatus> status;
  while (journal_of(cli).find("\"proposed\"") == std::string::npos && !status) status = process.wait(milliseconds(20));
  status = process.wait(milliseconds(1000));
  REQUIRE_FALSE(status);
  ::kill(process.id(), SIGTERM);
  status = process.wait(std::chrono::minutes(2));
  REQUIRE(status);
  CHECK(status->code == 143);
  CHECK(cli.tried() == std::vector<std::string>{"better", "open: "});
  CHECK(std::filesystem::is_empty(cli.environment.at("TMPDIR")));
  CHECK(cli.summary()["best"] == 0);
}
