#include "gate/verdict/qualify/remedy.h"

#include <limits>

#include "tests/support/catch.h"
#include "tests/verdict/answer_fixture.h"

using namespace kgate;
using verdict::common_to;
using verdict::compare_output;
using verdict::easiest_of;

namespace {

using Floats = std::vector<float>;

struct Slipped {
  Floats expected, got;
  cases::Tolerance tolerance;

  bool passes(const cases::Tolerance& by) const {
    const Bytes a = bytes_from(expected), b = bytes_from(got);
    return compare_output({DType::f32, a}, {DType::f32, b}, {got.size()}, by).right;
  }
  verdict::Remedies remedies() const {
    REQUIRE(passes(tolerance));
    const Bytes a = bytes_from(expected), b = bytes_from(got);
    return verdict::remedies_for({DType::f32, a}, {DType::f32, b}, tolerance);
  }
  std::string words() const { return easiest_of(remedies(), tolerance).words; }
};

}  // namespace

TEST_CASE("the largest rtol, atol or ulp under which a wrong answer fails is found") {
  Slipped slipped{{1, 2, 4}, {1, 2.25f, 4}, with_rtol(0.5)};
  CHECK(slipped.remedies().rtol == 0.125);
  CHECK(slipped.words() == "rtol below 0.12 would stop it");
  CHECK(slipped.passes(with_rtol(0.125)));
  CHECK_FALSE(slipped.passes(with_rtol(0.1249)));

  slipped.tolerance = {};
  slipped.tolerance.atol = 1;
  CHECK(slipped.remedies().atol == 0.25);
  CHECK(slipped.words() == "atol below 0.25 would stop it");

  slipped.tolerance = {};
  slipped.tolerance.ulp = 1e7;
  CHECK(slipped.words() == "ulp below 1e6 would stop it");
}

TEST_CASE("the key that has to give up least is named") {
  // |out - ref| is 0.25: rtol alone 0.05 at ref 2 with atol 0.15, atol alone 0.05 with rtol 0.1.
  Slipped slipped{{2}, {2.25f}, with_rtol(0.1)};
  slipped.tolerance.atol = 0.15;
  const auto remedies = slipped.remedies();
  CHECK(*remedies.rtol == Approx(0.05));
  CHECK(*remedies.atol == Approx(0.05));
  CHECK(slipped.words() == "rtol below 0.05 would stop it");
}

TEST_CASE("where no key alone stops an answer, both are named") {
  Slipped slipped{{2}, {2.25f}, with_rtol(0.5)};
  slipped.tolerance.atol = 1;
  CHECK_FALSE(slipped.remedies().rtol);
  CHECK_FALSE(slipped.remedies().atol);
  CHECK(slipped.words() == "rtol below 0.062 and atol below 0.12 would stop it");
  auto tighter = slipped.tolerance;
  tighter.rtol = 0.062;
  tighter.atol = 0.12;
  CHECK_FALSE(slipped.passes(tighter));

  slipped.tolerance = with_rtol(0.5);
  slipped.tolerance.ulp = 1e7;
  CHECK(slipped.words() == "rtol below 0.052 and ulp below 1e6 would stop it");
}

TEST_CASE("an answer that is wrong in fewer elements than may be is stopped by matched, or by bounds for the rest") {
  Slipped slipped{Floats(1000, 1), Floats(1000, 1), with_rtol(0.1)};
  slipped.tolerance.matched = 0.99;
  slipped.got[7] = 3;
  CHECK(slipped.words() == "matched above 0.999 would stop it");
  auto tighter = slipped.tolerance;
  tighter.matched = 0.9991;
  CHECK_FALSE(slipped.passes(tighter));
  slipped.got[8] = std::numeric_limits<float>::quiet_NaN();
  CHECK(slipped.words() == "matched above 0.998 would stop it");

  // Eleven more that are off by 5 %: with these over the bound there are too many.
  for (std::size_t i = 20; i < 40; ++i) slipped.got[i] = 1.0625f;
  CHECK(*slipped.remedies().rtol == 0.0625);
  CHECK(slipped.words() == "rtol below 0.062 would stop it");
  tighter = slipped.tolerance;
  tighter.rtol = 0.0624;
  CHECK_FALSE(slipped.passes(tighter));

  Slipped close{Floats(1000, 1), Floats(1000, 1), with_rtol(0.1)};
  close.tolerance.matched = 0.99;
  close.got[3] = 1.0625f;
  CHECK(close.words() == "matched = 1 with rtol below 0.062 would stop it");
}

TEST_CASE("norm and bias are told as they are") {
  Slipped slipped{Floats(100, 1), Floats(100, 1), {}};
  slipped.got[0] = 1.5f;
  slipped.tolerance.norm = 0.2;
  CHECK(*slipped.remedies().norm == Approx(0.05));
  CHECK(slipped.words() == "norm below 0.05 would stop it");
  slipped.tolerance.bias = 0.01;
  CHECK(*slipped.remedies().bias == Approx(0.005));
  CHECK(slipped.words() == "bias below 5e-3 would stop it");
}

TEST_CASE("what stops two answers is the tighter of each key that can stop both") {
  verdict::Remedies one, other;
  one.rtol = 0.1;
  one.atol = 0.5;
  one.matched = 0.9;
  other.rtol = 0.01;
  other.matched = 0.99;
  const auto common = common_to(one, other);
  CHECK(common.rtol == 0.01);
  CHECK_FALSE(common.atol);
  CHECK(common.matched == 0.99);
}

TEST_CASE("bounds are rounded down, so that what is printed holds") {
  verdict::Remedies remedies;
  const auto words = [&](double bound) {
    remedies.rtol = bound;
    return easiest_of(remedies, with_rtol(1)).words;
  };
  CHECK(words(4.879e-4) == "rtol below 4.8e-4 would stop it");
  CHECK(words(5e-4) == "rtol below 5e-4 would stop it");
  CHECK(words(0.0999) == "rtol below 0.099 would stop it");
  CHECK(words(1e-7) == "rtol below 1e-7 would stop it");
}
