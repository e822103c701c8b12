#include "gate/search/score.h"

#include <cmath>

#include "gate/search/journal/entry.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::search;

namespace {

CaseTime timed(const std::string& name, double ratio, double width, double weight = 1) {
  CaseTime one;
  one.name = name;
  one.weight = weight;
  one.baseline_us = 10;
  one.us = 10 * ratio;
  one.ratio = ratio;
  one.low = ratio / width;
  one.high = ratio * width;
  return one;
}

}  // namespace

TEST_CASE("the score is the weighted geometric mean of the cases' ratios, with its interval") {
  const auto score = score_of({timed("a", 0.5, 1.02), timed("b", 2, 1.02), timed("c", 0.8, 1.02, 2)});
  CHECK(score.ratio == Approx(std::pow(0.8, 0.5)));
  CHECK(std::log(score.high / score.ratio) == Approx(std::log(1.02) * std::sqrt(6) / 4));
  CHECK(score_of({}).ratio == 1);
}

TEST_CASE("two scores differ when they lie further apart than their widths together, as squares") {
  CHECK(compare(timed("", 0.97, 1.02), timed("", 1, 1.02)) == -1);
  CHECK(compare(timed("", 0.975, 1.02), timed("", 1, 1.02)) == 0);
  CHECK(compare(timed("", 1.03, 1.02), timed("", 1, 1.02)) == 1);
  CaseTime unknown = timed("", 0.5, 1.02);
  unknown.high = HUGE_VAL;
  CHECK(compare(unknown, timed("", 1, 1.02)) == 0);
  unknown.ratio = unknown.high = NAN;
  CHECK(compare(unknown, timed("", 1, 1.02)) == 0);
}

TEST_CASE("what was measured beside the best is judged by that, at its own level") {
  Evaluation best, candidate;
  best.cases = {timed("a", 0.5, 1.05)};
  candidate.cases = {timed("a", 0.49, 1.05)};
  for (auto* one : {&best, &candidate}) {
    const auto score = score_of(one->cases);
    one->score = score.ratio;
    one->score_low = score.low;
    one->score_high = score.high;
    one->outcome = Outcome::slower;
  }
  CHECK(judge(candidate, best, 0.02).reason == "seems to take 2.0 % less time than the best, which is not proved");
  candidate.beside = 0.97;
  candidate.beside_low = 0.95;
  candidate.beside_high = 0.99;
  CHECK(judge(candidate, best, 0.02).better);
  CHECK(judge(candidate, best, 0.02).reason == "takes 3.0 % less time than the best before it");
  candidate.beside_high = 1.001;
  CHECK(judge(candidate, best, 0.02).reason == "seems to take 3.0 % less time than the best, which is not proved");
  candidate.beside = 1.02;
  candidate.beside_low = 1.01;
  candidate.beside_high = 1.03;
  CHECK(judge(candidate, best, 0.02).reason == "takes 2.0 % more time than the best");
  candidate.beside = 0.97;
  candidate.beside_low = 0.95;
  candidate.beside_high = 0.99;
  candidate.cases[0].ratio = 1.05;  // slower than the baseline
  CHECK_FALSE(judge(candidate, best, 0.02).better);
}

TEST_CASE("the floor of a score is known where every case has one") {
  Evaluation evaluation;
  evaluation.cases = {timed("a", 1, 1.01), timed("b", 1, 1.01)};
  evaluation.cases[0].floor_us = 4;
  CHECK_FALSE(floor_of(evaluation));
  evaluation.cases[1].floor_us = 9;
  CHECK(*floor_of(evaluation) == Approx(0.6));
}

TEST_CASE("the journal knows the outcomes that a search has") {
  for (const std::string& word : journal::outcomes()) CHECK(outcome_of(word));
  CHECK(journal::outcomes().size() + 1 == static_cast<std::size_t>(Outcome::environment) + 1);
}
