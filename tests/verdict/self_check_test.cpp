#include "gate/verdict/qualify/self_check.h"

#include <limits>

#include "tests/support/catch.h"
#include "tests/verdict/answer_fixture.h"

using namespace kgate;

namespace {

using Floats = std::vector<float>;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::string fault(const Floats& first, const Floats& second, const cases::Tolerance& tolerance,
                  bool from_file = false) {
  const Bytes one = bytes_from(first), other = bytes_from(second);
  return verdict::self_check_fault({"y", DType::f32, {first.size()}, {DType::f32, one}, {DType::f32, other}, from_file},
                                   tolerance);
}

}  // namespace

TEST_CASE("a reference passes that answers twice the same, to half the tolerance") {
  CHECK(fault({1, 2}, {1, 2.04f}, with_rtol(0.05)).empty());
  CHECK(fault({1, 2}, {1, 2.06f}, with_rtol(0.05)) ==
        "the reference's \"y\" does not pass twice on the same inputs with half the tolerance: 1 of 2 elements differ, "
        "first at [1]: expected 2, got 2.06 (max abs 0.06, max rel 0.03; allowed: rtol 0.025)");
}

TEST_CASE("a reference that leaves an element as it was is told apart from one that differs") {
  Floats first{1, 2, 3}, second = first;
  std::memset(&first[2], 0xff, 4);
  std::memset(&second[2], 0xa5, 4);
  cases::Tolerance tolerance = with_rtol(1e-5);
  CHECK(fault(first, second, tolerance) == "the reference does not write all of \"y\": [2] is what was there before");
  tolerance.allow_nan = true;
  CHECK(fault(first, second, tolerance) == "the reference does not write all of \"y\": [2] is what was there before");
}

TEST_CASE("a NaN that no case allows is told, from a reference or a file") {
  CHECK(fault({1, kNan}, {1, kNan}, with_rtol(1e-5)) ==
        "the reference's \"y\" is NaN at [1]; if that is right, say allow_nan = true");
  CHECK(fault({1, kNan}, {1, kNan}, with_rtol(1e-5), true) ==
        "the expected \"y\" is NaN at [1]; if that is right, say allow_nan = true");
  cases::Tolerance tolerance = with_rtol(1e-5);
  tolerance.allow_nan = true;
  CHECK(fault({1, kNan}, {1, kNan}, tolerance).empty());
}

TEST_CASE("a wider reference must pass once it is rounded") {
  const Bytes wide = bytes_from(std::vector<double>{1.0 / 3, 2.0});
  const verdict::SelfCheck check{"y", DType::f32, {2}, {DType::f64, wide}, {DType::f64, wide}, false};
  CHECK(verdict::self_check_fault(check, with_rtol(1e-7)).empty());
  CHECK(verdict::self_check_fault(check, with_rtol(1e-8)) ==
        "the reference's \"y\", rounded to f32, does not pass with half the tolerance: 1 of 2 elements differ, first "
        "at [0]: expected 0.3333333, got 0.3333333 (max abs 9.9e-09, max rel 3e-08; allowed: rtol 5e-09)");
}

TEST_CASE("half a tolerance is half of every bound, and half of the elements that may fail") {
  cases::Tolerance tolerance = with_rtol(0.5);
  tolerance.atol = 1;
  tolerance.ulp = 4;
  tolerance.norm = 0.25;
  tolerance.bias = 8;
  tolerance.matched = 0.75;
  const auto half = verdict::halved(tolerance);
  CHECK(half.rtol == 0.25);
  CHECK(half.atol == 0.5);
  CHECK(half.ulp == 2.0);
  CHECK(half.norm == 0.125);
  CHECK(half.bias == 4.0);
  CHECK(half.matched == 0.875);
}
