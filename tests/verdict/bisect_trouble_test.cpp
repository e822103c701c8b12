#include "gate/verdict/bisect/bisection.h"
#include "gate/verdict/bisect/trouble.h"
#include "tests/support/catch.h"

using namespace kgate::verdict;

namespace {

CaseResult timed(const std::string& name, Verdict verdict, double ratio) {
  CaseResult one;
  one.name = name;
  one.verdict = verdict;
  one.time = Timing{};
  one.time->ratio = ratio;
  one.time->low = ratio / 1.01;
  one.time->high = ratio * 1.01;
  return one;
}

KernelResult kernel_of(Verdict verdict, std::vector<CaseResult> cases) {
  KernelResult kernel;
  kernel.name = "k";
  kernel.code = "changed";
  kernel.verdict = verdict;
  kernel.cases = std::move(cases);
  return kernel;
}

Standing standing(Trouble trouble, Verdict verdict, double ratio = 0, double width = 0.01) {
  Standing one{trouble, verdict, "", std::nullopt};
  if (ratio > 0) one.ratio = Ratio{ratio, ratio * (1 - width), ratio * (1 + width)};
  return one;
}

}  // namespace

TEST_CASE("a slowdown is followed in the cases that have it, whatever the others gain") {
  const auto bad =
      kernel_of(Verdict::regressed, {timed("wide", Verdict::regressed, 1.21), timed("tall", Verdict::faster, 0.7),
                                     timed("flat", Verdict::regressed, 1.44)});
  const auto cases = slower_cases(bad);
  CHECK(cases == std::vector<std::string>{"wide", "flat"});
  const auto found = standing_of(bad, cases);
  CHECK(found.trouble == Trouble::regressed);
  REQUIRE(found.ratio);
  CHECK(found.ratio->value == Approx(1.32).epsilon(1e-6));
  CHECK(found.ratio->low > 1.30);
  CHECK(found.ratio->high < 1.34);
  // One that was not timed in all of them has no figure.
  CHECK_FALSE(standing_of(kernel_of(Verdict::inconclusive, {timed("wide", Verdict::inconclusive, 1.2)}), cases).ratio);
}

TEST_CASE("what does not compile, is refused and is wrong are three things") {
  auto kernel = kernel_of(Verdict::wrong, {});
  kernel.code = "";
  CHECK(standing_of(kernel, {}).trouble == Trouble::uncompiled);
  kernel.code = "changed";
  kernel.lint.push_back({"device_launches", "k.cu:3", "child<<<1, 1>>>()"});
  CHECK(standing_of(kernel, {}).trouble == Trouble::refused);
  kernel.cases.resize(1);
  CHECK(standing_of(kernel, {}).trouble == Trouble::wrong);
  for (const Verdict verdict : {Verdict::inconclusive, Verdict::environment, Verdict::missing, Verdict::fresh})
    CHECK(standing_of(kernel_of(verdict, {}), {}).trouble == Trouble::unknown);
}

TEST_CASE("looking for wrong outputs, what does not compile tells nothing, and slow is good") {
  const Wanted wanted{Trouble::wrong, false};
  const auto side = [&](Trouble trouble, Verdict verdict) {
    return side_of(standing(trouble, verdict), wanted, {}, {});
  };
  CHECK(side(Trouble::none, Verdict::pass) == Side::good);
  CHECK(side(Trouble::regressed, Verdict::regressed) == Side::good);
  CHECK(side(Trouble::wrong, Verdict::wrong) == Side::bad);
  CHECK(side(Trouble::uncompiled, Verdict::wrong) == Side::unknown);
  CHECK(side(Trouble::unknown, Verdict::environment) == Side::unknown);
}

TEST_CASE("looking for what no longer compiles, wrong outputs are good: it compiled") {
  const Wanted wanted{Trouble::uncompiled, false};
  CHECK(side_of(standing(Trouble::wrong, Verdict::wrong), wanted, {}, {}) == Side::good);
  CHECK(side_of(standing(Trouble::uncompiled, Verdict::wrong), wanted, {}, {}) == Side::bad);
}

TEST_CASE("looking for a slowdown, wrong outputs tell nothing, and an open verdict only by its interval") {
  const Wanted wanted{Trouble::regressed, true};
  const auto good = standing(Trouble::none, Verdict::pass, 1.0),
             bad = standing(Trouble::regressed, Verdict::regressed, 1.2);
  const auto side = [&](const Standing& one) { return side_of(one, wanted, good, bad); };
  CHECK(side(standing(Trouble::none, Verdict::pass, 1.01)) == Side::good);
  CHECK(side(standing(Trouble::none, Verdict::faster, 0.8)) == Side::good);
  CHECK(side(standing(Trouble::regressed, Verdict::regressed, 1.19)) == Side::bad);
  // Slower, but most of the way came later.
  CHECK(side(standing(Trouble::regressed, Verdict::regressed, 1.05)) == Side::good);
  CHECK(side(standing(Trouble::unknown, Verdict::inconclusive, 1.09, 0.05)) == Side::unknown);
  CHECK(side(standing(Trouble::unknown, Verdict::inconclusive, 1.01, 0.03)) == Side::good);
  CHECK(side(standing(Trouble::wrong, Verdict::wrong)) == Side::unknown);
  CHECK(side(standing(Trouble::uncompiled, Verdict::wrong)) == Side::unknown);
  CHECK(side(standing(Trouble::suspect, Verdict::suspect, 0.5)) == Side::unknown);
}

TEST_CASE("the exit code is the bad end's, and inconclusive where that is why several commits are left") {
  Bisection found;
  found.end = standing(Trouble::regressed, Verdict::regressed, 1.2);
  found.suspects.resize(2);
  found.suspects[0].id = "a";
  found.suspects[1].id = "b";
  Visit look;
  look.commit.id = "a";
  look.standing = standing(Trouble::uncompiled, Verdict::wrong);
  found.looks.push_back(look);
  conclude(found);
  CHECK(found.exit_code == 1);
  found.looks[0].standing = standing(Trouble::unknown, Verdict::inconclusive);
  conclude(found);
  CHECK(found.exit_code == 3);
  found.suspects.pop_back();
  conclude(found);
  CHECK(found.exit_code == 1);
  found.end = Standing{};
  found.suspects.clear();
  conclude(found);
  CHECK(found.exit_code == 0);
}
