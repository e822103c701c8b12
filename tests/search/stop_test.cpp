#include "gate/search/budget.h"
#include "tests/search/bench.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::search;
using namespace kgate::test;

namespace {

// Each another version, a little faster than the baseline.
std::vector<Scripted> many(std::size_t number) {
  std::vector<Scripted> script;
  for (std::size_t i = 0; i < number; ++i) script.push_back(says({"M(wide,90)M(tall,90) NUMBER" + std::to_string(i)}));
  return script;
}

}  // namespace

TEST_CASE("a budget of zero means that there is no search") {
  const auto stopped = [](const auto& change) {
    Bench bench;
    change(bench.options.budgets);
    auto& script = bench.add(many(3));
    const History history = bench.run();
    CHECK(script.calls == 0);
    CHECK(bench.evaluator.evaluated.empty());
    return why(history);
  };
  CHECK(stopped([](Budgets& one) { one.iterations = 0; }) ==
        "no_search: [search] iterations is 0: no search is allowed");
  CHECK(stopped([](Budgets& one) { one.seconds = 0; }) == "no_search: [search] seconds is 0: no search is allowed");
  CHECK(stopped([](Budgets& one) { one.gpu_seconds = 0; }) ==
        "no_search: [search] gpu_seconds is 0: no search is allowed");
  CHECK(stopped([](Budgets& one) { one.model = true; }) == "no_search: [search] tokens is 0: no model may be asked");
  CHECK(stopped([](Budgets& one) {
          one.model = true;
          one.tokens = 1000;
        }) == "no_search: [search] cost_usd is 0: no model may be asked");
}

TEST_CASE("iterations end a search when the last one is done with, repairs and trials included") {
  Bench bench;
  bench.options.budgets.iterations = 2;
  Scripted broken = says({"FAIL(wrong)"});
  broken.repairs = {{"M(wide,80)M(tall,80)"}};
  bench.add({says({"M(wide,80)", "M(tall,120)"}), broken, says({"M(wide,50)"})}, 3);
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 slower, 2 wrong, 3 slower, 4 better, 5 better");
  CHECK(why(history) == "iterations: 2 iterations were allowed, and all are done");
}

TEST_CASE("wall time ends a search at once, and is what the evaluator has left") {
  Bench bench;
  bench.options.budgets.seconds = 10;
  auto& script = bench.add(many(7), 2);
  const History history = bench.run();
  // The baseline takes 3 s, an asking 1 s, an evaluation 3 s.
  CHECK(outcomes(history) == "0 better, 1 better, 2 slower, 3 open");
  CHECK(why(history) == "seconds: 10 s were allowed, and 12 s are over");
  CHECK(script.calls == 3);
  REQUIRE(bench.evaluator.left.size() == 3);
  CHECK(bench.evaluator.left[1].seconds == 5);
  CHECK(bench.evaluator.left[1].gpu_seconds == 598);
}

TEST_CASE("GPU time ends a search at once") {
  Bench bench;
  bench.options.budgets.gpu_seconds = 100;
  bench.add({says({"COST(50)"}), says({"COST(60)"}), says({"M(wide,50)"})});
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 slower, 2 slower");
  CHECK(why(history) == "gpu_seconds: 100 s of GPU time were allowed, and 112.0 s were used");
  CHECK(history.spent().gpu_seconds == 112);
  CHECK(history.spent().compile_seconds == 3);
}

TEST_CASE("tokens and money end all asking, repairs too; what was paid for is judged") {
  Bench bench;
  bench.options.budgets.tokens = 1000;
  Scripted dear = says({"FAIL(wrong)"});
  dear.usage = {500, 100, 0.5, 1};
  dear.repairs = {{"M(wide,50)"}};
  Scripted other = says({"M(wide,80)"});
  other.usage = {500, 100, 0.5, 1};
  auto& script = bench.add({other, dear, says({"M(tall,80)"})}, 2);
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 better, 2 wrong");
  CHECK(why(history) == "tokens: 1000 tokens were allowed, and 1200 were used");
  CHECK(script.calls == 2);
  CHECK(script.briefings[1].tokens_left == 400);

  Bench money;
  money.options.budgets.cost_usd = 0.75;
  money.add({other, dear, says({"M(tall,80)"})});
  CHECK(why(money.run()) == "cost_usd: 0.75 USD were allowed, and 1.00 USD were spent");
}

TEST_CASE("an answer that was none costs as well") {
  Bench bench;
  bench.options.budgets.tokens = 1000;
  Scripted rubbish = refuses(Refusal::Kind::unavailable, "rubbish");
  rubbish.usage = {2000, 0, 0, 1};
  bench.add({rubbish}, 1, "http");
  auto& tuner = bench.add(many(2), 1, "tuner");
  CHECK(why(bench.run()) == "tokens: 1000 tokens were allowed, and 2000 were used");
  CHECK(tuner.calls == 0);
}

TEST_CASE("a proposer that would go over a budget is told as that budget's end") {
  Bench bench;
  bench.options.budgets.tokens = 1000;
  bench.options.budgets.cost_usd = 1;
  Scripted first = says({"M(wide,80)"});
  first.usage = {900, 0, 0.1, 1};
  bench.add({first, refuses(Refusal::Kind::budget, "one more request takes about 200 tokens, and 100 are left")});
  CHECK(why(bench.run()) == "tokens: script: one more request takes about 200 tokens, and 100 are left");
}

TEST_CASE("patience ends a search when the last rounds together gained too little") {
  Bench bench;
  bench.options.budgets.patience = 3;
  bench.options.budgets.iterations = 50;
  std::vector<Scripted> script(3, says({"M(wide,99)M(tall,99)"}));  // 3 % together
  script.push_back(says({"M(wide,110)"}));                          // now the last three gained 2 steps of 1 %
  script.push_back(says({"M(wide,50)"}));
  bench.add(script);
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 better, 2 better, 3 better, 4 slower");
  CHECK(why(history) == "patience: the last 3 rounds gained 1.99 %; to go on takes 2 %, or more patience");
}

TEST_CASE("a round counts once its repairs and trials are done, and not at all where the machine failed") {
  Bench bench;
  bench.options.budgets.patience = 1;
  Scripted broken = says({"FAIL(wrong)"});
  broken.repairs = {{"M(wide,90)M(tall,90)"}};
  bench.add(
      {broken, says({"FAIL(environment)"}), says({"M(wide,80)", "M(tall,130)"}), says({"A"}), says({"M(wide,10)"})});
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 wrong, 2 better, 3 environment, 4 slower, 5 slower, 6 better, 7 slower");
  CHECK(why(history) == "patience: the last round gained 0.00 %; to go on takes 2 %, or more patience");
}

TEST_CASE("the hardware's floor ends a search when what is left to gain is too little") {
  Bench bench;
  bench.add({says({"M(wide,81)M(tall,81)FLOOR(8)"}), says({"M(wide,50)"})});
  const History history = bench.run();
  CHECK(outcomes(history) == "0 better, 1 better");
  CHECK(why(history) ==
        "floor: the hardware allows no version that takes 2 % less time than the best: that is at 81.0 % of the "
        "baseline's time, the floor at 80.0 %");
  Bench far;
  far.add({says({"M(wide,85)M(tall,85)FLOOR(8)"})});
  CHECK(why(far.run()) == "proposers: script: that was all");
}

TEST_CASE("a machine that fails several times in a row ends a search; once or twice it does not") {
  Bench bench;
  bench.add({says({"FAIL(environment) A"}), says({"FAIL(environment) B"}), says({"M(wide,90)"}),
             says({"FAIL(environment) A"}), says({"FAIL(environment) C"}), says({"FAIL(environment) D"}),
             says({"M(wide,80)"})});
  const History history = bench.run();
  CHECK(outcomes(history) ==
        "0 better, 1 environment, 2 environment, 3 better, 4 environment, 5 environment, 6 environment");
  CHECK(why(history) == "environment: the machine failed 3 times in a row: it is said to be");
}

TEST_CASE("what the machine failed at may be proposed again") {
  Bench bench;
  Scripted once_more = says({"FAIL(environment)"});
  once_more.parent = "baseline";
  bench.add({says({"FAIL(environment)"}), once_more});
  CHECK(outcomes(bench.run()) == "0 better, 1 environment, 2 environment");
}

TEST_CASE("a baseline that is not right or was not timed ends a search before anybody is asked") {
  Bench bench;
  bench.evaluator.cases.clear();
  auto& script = bench.add(many(1));
  CHECK(why(bench.run()) == "baseline: environment: no case was timed");
  CHECK(script.calls == 0);
}
