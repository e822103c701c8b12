#include "gate/verdict/qualify/mutant_trials.h"

#include <algorithm>

#include "tests/support/catch.h"
#include "tests/verdict/answer_fixture.h"

using namespace kgate;
using verdict::MutantTrial;
using verdict::MutantTrials;

namespace {

using Floats = std::vector<float>;

// One case after the other, each with its tolerance and an answer a seed.
struct Case {
  std::string name;
  cases::Tolerance tolerance;
  std::vector<Floats> seeds;
};

std::vector<MutantTrial> tried(const std::vector<Case>& all) {
  MutantTrials trials("y", {});
  for (const auto& one : all) {
    trials.begin_case();
    for (const auto& values : one.seeds) trials.try_all(Answer(DType::f32, values, one.tolerance).right);
    trials.end_case(one.name, one.tolerance);
  }
  return trials.told();
}

MutantTrial told(const std::vector<Case>& all, const std::string& name) {
  const auto trials = tried(all);
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const auto& one) { return one.mutant == name; });
  REQUIRE(found != trials.end());
  return *found;
}

std::vector<std::string> passing(const std::vector<Case>& all) {
  std::vector<std::string> names;
  for (const auto& one : tried(all)) {
    if (one.passes()) names.push_back(one.mutant);
  }
  return names;
}

cases::Tolerance with_atol(double atol) {
  cases::Tolerance tolerance;
  tolerance.atol = atol;
  return tolerance;
}

const Floats kValues{1.2f, -0.7f, 3.25f, 0.4f};

}  // namespace

TEST_CASE("a tight tolerance stops every mutant, in the first case that does") {
  CHECK(passing({{"odd", with_rtol(1e-5), {kValues}}}).empty());
  const auto zeros = told({{"loose", with_atol(10), {kValues}}, {"odd", with_rtol(1e-5), {kValues}}}, "zeros");
  CHECK(zeros.output == "y");
  CHECK(zeros.failed_in == "odd");
  CHECK(zeros.cases == 2);
  CHECK(zeros.remedy.empty());
}

TEST_CASE("a mutant that passes every case is a weakness, with the tolerance that would stop it in the easiest case") {
  const auto zeros = told({{"loose", with_atol(100), {kValues}}, {"better", with_atol(4), {kValues}}}, "zeros");
  CHECK(zeros.passes());
  CHECK(zeros.remedy == "case \"better\": atol below 3.2 would stop it");
}

TEST_CASE("a case stops a mutant only if it does with every seed, and the remedy is for all of them") {
  const Floats small{0.5f, 0.25f}, large{2, 3};
  const auto zeros = told({{"odd", with_atol(1), {small, large}}}, "zeros");
  CHECK(zeros.passes());
  CHECK(zeros.remedy == "case \"odd\": atol below 0.5 would stop it");
  CHECK(told({{"odd", with_atol(1), {large, large}}}, "zeros").failed_in == "odd");
  CHECK(told({{"odd", with_atol(1), {Floats{0.75f, 0}, small}}}, "zeros").remedy ==
        "case \"odd\": atol below 0.5 would stop it");
}

TEST_CASE("a mutant that is the right answer is no mutant") {
  const auto zeros = told({{"nothing", with_atol(1), {Floats{0, 0}}}}, "zeros");
  CHECK_FALSE(zeros.passes());
  CHECK(zeros.cases == 0);
  CHECK(zeros.why_not == "it equals the right answer");
  CHECK(told({{"odd", with_rtol(1e-5), {kValues}}}, "transposed").why_not == "it is not square");
  CHECK(told({{"odd", with_rtol(1e-5), {kValues}}}, "rounded to f32").why_not == "it is f32");
}

TEST_CASE("unwritten memory is stopped where either of the two poisons is") {
  // 0xff is NaN, which allow_nan lets pass where the reference is NaN; 0xa5 is not.
  cases::Tolerance tolerance = with_atol(1e-3);
  tolerance.allow_nan = true;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(told({{"nan", tolerance, {Floats{nan, nan}}}}, "unwritten memory").failed_in == "nan");
  CHECK(told({{"nan", tolerance, {Floats{1, nan}}}}, "last element missing").failed_in == "nan");
}

TEST_CASE("every kind of mutant has a tolerance that is too loose for it") {
  cases::Tolerance anything = with_atol(1e30);
  // Only what is no number is stopped by any tolerance at all.
  CHECK(passing({{"odd", anything, {kValues}}}) ==
        std::vector<std::string>{"zeros", "ones", "its mean everywhere", "first element off", "middle element off",
                                 "last element off", "rounded to f16", "rounded to bf16"});
  CHECK(told({{"odd", anything, {kValues}}}, "NaN everywhere").failed_in == "odd");
  // atol in front of rtol hides what rtol is there for.
  cases::Tolerance hidden = with_rtol(1e-6);
  hidden.atol = 1e-2;
  CHECK(told({{"odd", hidden, {kValues}}}, "scaled by 1 + 2 rtol").remedy ==
        "case \"odd\": atol below 3.1e-6 would stop it");
}
