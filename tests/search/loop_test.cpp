#include "gate/search/loop.h"

#include "tests/search/bench.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::search;
using namespace kgate::test;

namespace {

constexpr const char* kFaster = "M(wide,90)M(tall,90)";
constexpr const char* kSlower = "M(wide,110)M(tall,110)";

const std::string& reason(const History& history, std::int64_t number) {
  return history.step(number).evaluation.reason;
}

}  // namespace

TEST_CASE("each new best is what the next proposal changes and what the next candidate is timed beside") {
  Bench bench;
  auto& script = bench.add({says({kFaster}), says({kSlower}), says({"M(wide,80)M(tall,80)"})});
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 better, 2 slower, 3 better");
  CHECK(history.best().number == 3);
  CHECK(history.best().evaluation.score == Approx(0.72));
  CHECK(reason(history, 1) == "takes 10.0 % less time than the best before it");
  CHECK(reason(history, 2) == "takes 10.0 % more time than the best");
  CHECK(history.step(2).proposal.parent == history.step(1).candidate);
  CHECK(history.step(3).proposal.parent == history.step(1).candidate);
  CHECK(bench.evaluator.beside == std::vector<std::string>{history.baseline().digest, history.baseline().digest,
                                                           history.step(1).candidate, history.step(1).candidate});
  CHECK(why(history) == "proposers: script: that was all");
  const Briefing& last = script.briefings[2];
  CHECK(last.best == history.step(1).candidate);
  CHECK(last.sources == history.version(history.step(1).candidate).files);
  REQUIRE(last.tried.size() == 3);
  CHECK(last.tried[0].proposer == "baseline");
  CHECK(last.tried[0].score == 1);
  CHECK(last.tried[2].outcome == Outcome::slower);
  CHECK(last.tried[2].case_us.at("wide") == Approx(9.9));
  CHECK(last.tried[2].parameters.at("BLOCK") == "256");
}

TEST_CASE("a version may be made from any that was tried, and from no other") {
  Bench bench;
  const std::string nowhere(64, 'e');
  Scripted from_baseline = says({"M(wide,70)M(tall,70)"}), from_nowhere = says({kFaster});
  from_baseline.parent = "baseline";
  from_nowhere.parent = nowhere;
  auto& script = bench.add({says({kFaster}), from_baseline, from_nowhere});
  script.repairs_at_all = false;
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 better, 2 better, 3 refused");
  CHECK(history.step(2).proposal.parent == history.baseline().digest);
  CHECK(reason(history, 3) == "its parent \"" + nowhere + "\" is no version that was tried");
}

TEST_CASE("a candidate that seems faster within the noise is not the new best") {
  Bench bench;
  bench.add({says({"M(wide,98)M(tall,98)W(5)"}), says({"M(wide,80)M(tall,80)W(5)"})});
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 slower, 2 better");
  CHECK(reason(history, 1) == "seems to take 2.0 % less time than the best, which is not proved");
}

TEST_CASE("a candidate that is faster in all but slows one case beyond the zone is not the new best") {
  Bench bench;
  bench.add({says({"M(wide,50)M(tall,103)"}), says({"M(wide,60)M(tall,101)"})});
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 slower, 2 better");
  CHECK(reason(history, 1) ==
        "takes 28.2 % less time than the best, but case \"tall\" is 3.0 % slower than the baseline's; 2 % are allowed");
}

TEST_CASE("what does not compile goes back to its proposer with the compiler's words, up to the number of repairs") {
  Bench bench;
  Scripted broken = says({"FAIL(does_not_compile)"});
  broken.repairs = {{"FAIL(wrong)"}, {kFaster}};
  auto& script = bench.add({broken, says({"M(wide,50)"})});
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 does_not_compile, 2 wrong, 3 better, 4 better");
  CHECK(script.complaints ==
        std::vector<std::string>{"it is said to be\nscale.cu(3): error: \x1b[31mno\xef\xbf\xbd", "it is said to be"});
  CHECK(history.step(2).repair_of == 1);
  CHECK(history.step(3).repair_of == 2);
  CHECK(history.step(3).iteration == 1);
  CHECK(history.step(4).iteration == 2);
  CHECK(history.spent().iterations == 2);

  Bench stubborn;
  Scripted hopeless = says({"FAIL(does_not_compile) A"});
  hopeless.repairs = {{"FAIL(wrong) B"}, {"FAIL(does_not_compile) C"}, {"FAIL(infeasible) D"}, {kFaster}};
  stubborn.add({hopeless});
  CHECK(outcomes(stubborn.run()) == "0 better, 1 does_not_compile, 2 wrong, 3 does_not_compile, 4 infeasible");

  Bench none;
  none.options.budgets.repairs = 0;
  none.add({broken});
  CHECK(outcomes(none.run()) == "0 better, 1 does_not_compile");
}

TEST_CASE("a proposer that repairs nothing is asked for the next proposal") {
  Bench bench;
  auto& script = bench.add({says({"FAIL(wrong)"}), says({kFaster})});
  script.repairs_at_all = false;
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 wrong, 2 better");
  CHECK(history.step(1).repair_refused);
}

TEST_CASE("what was tried before is not tried again, however it is written") {
  Bench bench;
  Scripted same = says({kFaster}), like = says({"M(wide,90)  M(tall,90) // faster"}), none = says({"/* nothing */"});
  same.parent = like.parent = none.parent = "baseline";
  bench.add({says({kFaster}), same, like, none});
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 better, 2 duplicate, 3 duplicate, 4 duplicate");
  CHECK(reason(history, 2) == "it is proposal 1 once more, which was judged: better");
  CHECK(reason(history, 3) == "it is proposal 1 once more, which was judged: better");
  CHECK(reason(history, 4) == "it is the baseline");
  CHECK(bench.evaluator.evaluated.size() == 2);
}

TEST_CASE("an edit that does not fit may be repaired") {
  Bench bench;
  Scripted unfit = says({"BODY;"});  // so that the next part finds it twice
  unfit.parts.push_back("X");
  unfit.repairs = {{kFaster}};
  auto& script = bench.add({unfit});
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 refused, 2 better");
  CHECK(
      script.complaints ==
      std::vector<std::string>{"part \"s1.1\": \"kernels/scale/scale.cu\" has \"BODY;\", which is to be replaced, more "
                               "than once"});
  CHECK(history.step(1).candidate.empty());
}

TEST_CASE("a proposal that is no text is refused, and the journal can be read") {
  Bench bench;
  Scripted binary = says({"\xff\xfe"});
  binary.direction = "dir\xff";
  auto& script = bench.add({binary, says({kFaster})});
  script.repairs_at_all = false;
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 refused, 2 better");
  CHECK(reason(history, 1) == "the proposal is not UTF-8");
  CHECK(journal::read_journal(bench.folder.path() / "journal.jsonl").lines.size() == 8);
}

TEST_CASE("of a proposal that wins in one case and loses in another the losing part is dropped") {
  Bench bench;
  bench.add({says({"M(wide,80)", "M(tall,120)"})});
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 slower, 2 slower, 3 better");
  CHECK(history.step(3).ablation_of == 1);
  REQUIRE(history.step(3).proposal.parts.size() == 1);
  CHECK(history.step(3).proposal.parts[0].name == "s1.0");
  CHECK(history.best().number == 3);
  CHECK(history.spent().iterations == 1);
}

TEST_CASE("where several parts lose they are dropped together, with one trial more than there are parts") {
  Bench bench;
  bench.add({says({"M(wide,120)", "M(wide,95)M(tall,95)", "M(tall,130)"})});
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 slower, 2 slower, 3 slower, 4 slower, 5 better");
  REQUIRE(history.step(5).proposal.parts.size() == 1);
  CHECK(history.step(5).proposal.parts[0].name == "s1.1");
  CHECK(bench.evaluator.evaluated.size() == 6);
}

TEST_CASE("where one part loses, the others stay together") {
  Bench bench;
  bench.add({says({"M(wide,80)", "M(tall,120)", "M(wide,99)"})});
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 slower, 2 slower, 3 better, 4 slower");
  CHECK(history.best().proposal.parts.size() == 2);
}

TEST_CASE("a proposal that wins everywhere, or has one part, is not tried in parts") {
  Bench bench;
  bench.add({says({"M(wide,90)", "M(tall,90)"}), says({"M(wide,80)M(tall,120)"})});
  CHECK(outcomes(bench.run()) == "0 better, 1 better, 2 slower");
}

TEST_CASE("a direction whose candidates do not compile is paused until there is a new best") {
  Bench bench;
  std::vector<Scripted> script;
  for (const char* code : {"FAIL(does_not_compile) A", "FAIL(does_not_compile) B", "FAIL(does_not_compile) C"})
    script.push_back(says({code}, "tiling"));
  script.push_back(says({"M(wide,80)"}, "tiling"));
  script.push_back(says({"M(wide,70)"}, "loads"));
  script.push_back(says({"M(tall,80)"}, "tiling"));
  auto& one = bench.add(script);
  one.repairs_at_all = false;
  const History history = bench.run();
  CHECK(outcomes(history) ==
        "0 better, 1 does_not_compile, 2 does_not_compile, 3 does_not_compile, 4 refused, 5 better, 6 better");
  const std::string paused =
      "the direction \"tiling\" is paused until there is a new best: its last 3 candidates did not compile";
  CHECK(reason(history, 4) == paused);
  CHECK(one.briefings[3].closed_directions == std::vector<std::string>{paused});
  CHECK(one.briefings[5].closed_directions.empty());
  CHECK(one.complaints.size() == 3);  // nobody is asked to repair what was turned away
}

TEST_CASE("what was turned away with its direction may come again in another one") {
  Bench bench;
  bench.options.budgets.failures_in_a_direction = 1;
  auto& script =
      bench.add({says({"FAIL(does_not_compile)"}, "tiling"), says({kFaster}, "tiling"), says({kFaster}, "loads")});
  script.repairs_at_all = false;
  CHECK(outcomes(bench.run()) == "0 better, 1 does_not_compile, 2 refused, 3 better");
}

TEST_CASE("one candidate in a direction that compiles begins its count anew") {
  Bench bench;
  bench.options.budgets.failures_in_a_direction = 2;
  auto& script = bench.add({says({"FAIL(does_not_compile) A"}, "tiling"), says({kSlower}, "tiling"),
                            says({"FAIL(does_not_compile) B"}, "tiling"), says({"M(wide,120)"}, "tiling"),
                            says({"FAIL(does_not_compile) C"}, "loads")});
  script.repairs_at_all = false;
  CHECK(outcomes(bench.run()) ==
        "0 better, 1 does_not_compile, 2 slower, 3 does_not_compile, 4 slower, 5 does_not_compile");
}

TEST_CASE("a cheating candidate closes its direction for good, and nothing is made from it") {
  Bench bench;
  Scripted made_from_it = says({kFaster});
  bench.add({says({"FAIL(suspect)"}, "caching"), says({"M(wide,80)"}, "caching"), says({"M(wide,90)"}, "loads"),
             says({"M(wide,70)"}, "caching")});
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 suspect, 2 refused, 3 better, 4 refused");
  CHECK(reason(history, 2) == "the direction \"caching\" is closed: proposal 1 was caught cheating");
  CHECK(reason(history, 4) == "the direction \"caching\" is closed: proposal 1 was caught cheating");

  Bench offspring;
  made_from_it.parent = history.step(1).candidate;
  offspring.add({says({"FAIL(suspect)"}), made_from_it}).repairs_at_all = false;
  const History second = offspring.run();
  CHECK(outcomes(second) == "0 better, 1 suspect, 2 refused");
  CHECK(reason(second, 2) == "its parent " + history.step(1).candidate.substr(0, 12) + " was caught cheating");
}

TEST_CASE("tuning alone has no direction that could be closed") {
  Bench bench;
  bench.options.budgets.failures_in_a_direction = 1;
  Scripted tunes;
  tunes.direction = "tiling";
  tunes.parameters = {{"BLOCK", "512"}};
  auto& script = bench.add({says({"FAIL(does_not_compile)"}, "tiling"), tunes});
  script.repairs_at_all = false;
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 does_not_compile, 2 better");
  CHECK(history.parameters(history.best()).at("BLOCK") == "512");
  CHECK(history.best().evaluation.score == Approx(0.95));
}

TEST_CASE("as many proposals as the proposer allows are compiled while one is judged") {
  Bench bench;
  auto& script = bench.add({says({"A"}), says({"B"}), says({"C"}), says({"D"})}, 3);
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 slower, 2 slower, 3 slower, 4 slower");
  CHECK(bench.evaluator.prepared == std::vector<std::string>{history.step(1).candidate, history.step(2).candidate,
                                                             history.step(3).candidate, history.step(4).candidate});
  REQUIRE(script.briefings.size() >= 4);
  CHECK(script.briefings[2].tried[2].outcome == Outcome::open);
  CHECK(script.briefings[3].tried[1].outcome == Outcome::slower);
  CHECK(script.briefings[3].tried[2].outcome == Outcome::open);
}

TEST_CASE("when a proposer has nothing more, or does not answer, the next one is asked") {
  Bench bench;
  bench.add({says({kFaster}), refuses(Refusal::Kind::unavailable, "the server hangs")}, 1, "http");
  bench.add({says({"M(wide,80)"})}, 1, "tuner");
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 better, 2 better");
  CHECK(history.step(2).proposal.proposer == "tuner");
  CHECK(why(history) == "unanswered: http: the server hangs; tuner: that was all");
}

TEST_CASE("a search that ended for want of a server goes on when it is there again") {
  Bench bench;
  bench.add({refuses(Refusal::Kind::unavailable, "the server hangs")}, 1, "http");
  CHECK(why(bench.run()) == "unanswered: http: the server hangs");
  bench.proposers.clear();
  bench.add({says({kFaster})}, 1, "http");
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 better");
  CHECK(bench.evaluator.evaluated.size() == 2);
}

TEST_CASE("a search that has ended is not begun again, unless it may spend more") {
  Bench bench;
  bench.options.budgets.iterations = 1;
  auto& script = bench.add({says({kFaster}), says({"M(wide,80)"})});
  CHECK(why(bench.run()) == "iterations: 1 iterations were allowed, and all are done");
  const auto length = std::filesystem::file_size(bench.folder.path() / "journal.jsonl");
  CHECK(outcomes(bench.run()) == "0 better, 1 better");
  CHECK(std::filesystem::file_size(bench.folder.path() / "journal.jsonl") == length);
  CHECK(script.calls == 1);
  bench.options.budgets.iterations = 2;
  CHECK(outcomes(bench.run()) == "0 better, 1 better, 2 better");
  CHECK(outcomes(bench.run()) == "0 better, 1 better, 2 better");
  CHECK(script.calls == 2);
}

TEST_CASE("a failure of the world leaves the proposal open, and it is judged without asking again") {
  Bench bench;
  auto& script = bench.add({says({kFaster}), says({"M(wide,80)"})});
  bench.evaluator.dies_at = "80";
  CHECK(error_of([&] { bench.run(); }) == "environment: the GPU: fell off the bus");
  bench.evaluator.dies_at.clear();
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 better, 2 better");
  CHECK(script.calls == 3);  // two proposals, and one refusal for the end
  CHECK(history.step(2).number == 2);
}

TEST_CASE("an interrupt ends a search between two steps, and it goes on from there") {
  Bench bench;
  bench.add({says({kFaster}), says({"M(wide,80)"})});
  int steps = 0;
  bench.options.check = [&] {
    if (++steps == 4) throw Error(ErrorKind::interrupted, "", "interrupted");
  };
  CHECK(error_of([&] { bench.run(); }) == "interrupted: interrupted");
  const auto recorded = journal::read_journal(bench.folder.path() / "journal.jsonl");
  CHECK(outcomes(replay(recorded, scripted_baseline(), bench.options.budgets)) == "0 better, 1 better");
  CHECK(outcomes(bench.run()) == "0 better, 1 better, 2 better");
}

TEST_CASE("what limits the best version is asked once for each, and told") {
  Bench bench;
  auto& script = bench.add({says({kSlower}), says({kFaster}), says({"M(wide,80)"})});
  std::vector<std::string> asked;
  bench.options.bottleneck = [&](const Candidate& best) {
    asked.push_back(best.digest);
    return "bandwidth " + std::to_string(asked.size());
  };
  const History history = bench.run();
  CHECK(asked ==
        std::vector<std::string>{history.baseline().digest, history.step(2).candidate, history.step(3).candidate});
  CHECK(script.briefings[1].bottleneck == "bandwidth 1");
  CHECK(script.briefings[2].bottleneck == "bandwidth 2");
}

TEST_CASE("a case as proposers see it has the times of the baseline and of the best; what is unknown stays") {
  Bench bench;
  VisibleCase wide, odd;
  wide.name = "wide";
  odd.name = "odd";
  bench.options.briefing.cases = {wide, odd};
  auto& script = bench.add({says({kFaster}), says({kSlower})});
  bench.run();
  CHECK(script.briefings[1].cases[0].baseline_us == 10);
  CHECK(script.briefings[1].cases[0].best_us == Approx(9));
  CHECK(script.briefings[1].cases[1].best_us == 0);
}
