#include <cstdlib>

#include "tests/search/bench.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::search;
using namespace kgate::test;
namespace fs = std::filesystem;

namespace {

// A bit of everything, by two proposers.
void write_script(Bench& bench) {
  bench.options.budgets.iterations = 14;
  bench.options.budgets.failures_in_a_direction = 2;
  bench.options.budgets.tokens = 100000;
  Scripted broken = says({"FAIL(does_not_compile)"}, "tiling"), hopeless = says({"FAIL(wrong) H"}, "loads");
  broken.repairs = {{"FAIL(does_not_compile) AGAIN"}, {"M(wide,97)M(tall,97)"}};
  broken.usage = {700, 80, 0.01, 2};
  hopeless.repairs = {{"FAIL(wrong) I"}};
  Scripted again = says({"M(wide,90)M(tall,90)"}), tunes;
  again.parent = "baseline";
  tunes.parameters = {{"BLOCK", "512"}};
  bench.add({says({"M(wide,90)M(tall,90)"}, "tiling"), broken, again, says({"M(wide,80)", "M(tall,120)"}, "fusing"),
             says({"FAIL(suspect)"}, "caching"), says({"M(wide,10)"}, "caching"), hopeless,
             refuses(Refusal::Kind::unavailable, "the server hangs")},
            2, "http");
  bench.add({tunes, says({"FAIL(environment)"}), says({"M(wide,120)", "M(wide,95)M(tall,95)", "M(tall,130)"}),
             says({"M(wide,99)M(tall,99)W(3)"}), says({"FAIL(infeasible)"})},
            3, "tuner");
}

std::string contents(const fs::path& path) {
  return std::string(text_of(read_file(path, 1 << 24)));
}

// All that a search found out, but for when it was resumed.
Json found(const History& history) {
  Json steps = Json::array();
  for (const Step& step : history.steps()) {
    steps.push_back({step.number, step.iteration, step.repair_of, step.ablation_of, step.candidate, step.fault,
                     step.wall_s, journal::to_json(line_of(step.evaluation))});
  }
  return {{"steps", steps},
          {"best", history.best().number},
          {"files", history.version(history.best().candidate).files},
          {"why", why(history)},
          {"rounds", history.rounds()},
          {"tokens", history.spent().tokens},
          {"seconds", history.spent().seconds},
          {"gpu_s", history.spent().gpu_seconds}};
}

int proposals_in(const std::string& text) {
  int number = 0;
  for (const auto& line : journal::read_journal(text, "j").lines) {
    if (const auto* one = std::get_if<journal::Proposed>(&line)) number += one->ablation_of == 0 ? 1 : 0;
    number += std::holds_alternative<journal::Unanswered>(line) ? 1 : 0;
  }
  return number;
}

int calls(const Bench& bench) {
  int number = 0;
  for (const auto& one : bench.proposers) number += one->calls;
  return number;
}

// Where the journal may have been cut: at the end of each line, and in the middle of it.
std::vector<std::size_t> cuts(const std::string& text) {
  std::vector<std::size_t> places{0};
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    places.insert(places.end(), {at + 1, (at + end) / 2, end, end + 1});
  }
  return places;
}

}  // namespace

TEST_CASE("a search that was killed anywhere ends as if it had not been, and pays for no answer twice") {
  Bench whole;
  write_script(whole);
  const History uncut = whole.run();
  INFO(outcomes(uncut));
  CHECK(outcomes(uncut) ==
        "0 better, 1 better, 2 does_not_compile, 3 duplicate, 4 does_not_compile, 5 slower, 6 slower, 7 slower, 8 "
        "better, "
        "9 suspect, 10 refused, 11 wrong, 12 better, 13 environment, 14 slower, 15 slower, 16 infeasible, 17 slower, "
        "18 slower, 19 slower, 20 slower");
  const std::string text = contents(whole.folder.path() / "journal.jsonl");
  const Json expected = found(uncut);
  for (const std::size_t cut : cuts(text)) {
    INFO("cut at byte " << cut << " of " << text.size());
    Bench bench;
    write_script(bench);
    const std::string rest = text.substr(0, cut);
    write_file_atomic(bench.folder.path() / "journal.jsonl", std::string_view(rest));
    const History history = bench.run();
    const std::string here = rest.substr(0, rest.rfind('\n') + 1);
    Json now = found(history);
    // One that had ended for want of a server asks that one again, and so may find more.
    if (here.find("\"kind\":\"stopped\"") != std::string::npos) {
      CHECK(now["best"] == expected["best"]);
      continue;
    }
    REQUIRE(now == expected);
    REQUIRE(calls(bench) + proposals_in(here) == calls(whole));
  }
}

TEST_CASE("a search that is killed again and again ends as if it had not been") {
  Bench whole;
  write_script(whole);
  const Json expected = found(whole.run());
  Bench bench;
  write_script(bench);
  int steps = 0, kills = 0;
  bench.options.check = [&] {
    if (++steps % 3 == 0) throw Error(ErrorKind::interrupted, "", "killed");
  };
  std::optional<History> history;
  while (!history && kills < 1000) {
    try {
      history = bench.run();
    } catch (const Error&) {
      ++kills;
    }
  }
  REQUIRE(history);
  CHECK(kills > 10);
  CHECK(found(*history)["best"] == expected["best"]);
  CHECK(found(*history)["files"] == expected["files"]);
  CHECK(found(*history)["why"] == expected["why"]);
}

TEST_CASE("a journal whose proposal gives another version than it says is refused") {
  Bench bench;
  bench.add({says({"M(wide,90)"})});
  bench.run();
  const fs::path path = bench.folder.path() / "journal.jsonl";
  std::string text = contents(path);
  const auto at = text.find("M(wide,90)");
  REQUIRE(at != std::string::npos);
  write_file_atomic(path, std::string_view(text.replace(at, 10, "M(wide,10)")));
  CHECK(reads(error_of([&] { bench.run(); }), "usage: the search's journal, proposal 1: gives the version ",
              " as it says; it was changed, or another kgate wrote it: begin anew with an empty folder"));
}
