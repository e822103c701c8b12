#include "gate/verdict/check/compare.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/philox.h"
#include "tests/support/catch.h"

using namespace kgate;
using verdict::compare_output;

namespace {

template <typename T>
ByteView bytes(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

verdict::OutputFinding compare_f32(const std::vector<float>& expected, const std::vector<float>& got,
                                   const cases::Tolerance& tolerance) {
  return compare_output({DType::f32, bytes(expected)}, {DType::f32, bytes(got)}, {expected.size()}, tolerance);
}

cases::Tolerance rtol(double value) {
  cases::Tolerance tolerance;
  tolerance.rtol = value;
  return tolerance;
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("equal outputs are right and have no error") {
  const std::vector<float> values(5000, 1.5f);
  const auto finding = compare_f32(values, values, rtol(0));
  CHECK(finding.right);
  CHECK(finding.reason.empty());
  CHECK(finding.numerics.max_abs == 0);
  CHECK(finding.numerics.mismatched == 0);
}

TEST_CASE("one wrong element is found wherever it lies, with its index and values") {
  for (const std::size_t place :
       {std::size_t{0}, std::size_t{7}, std::size_t{2047}, std::size_t{2048}, std::size_t{4999}}) {
    std::vector<float> expected(5000, 2.0f), got = expected;
    got[place] = 3.0f;
    const auto finding = compare_output({DType::f32, bytes(expected)}, {DType::f32, bytes(got)}, {50, 100}, rtol(1e-5));
    CHECK_FALSE(finding.right);
    CHECK(finding.numerics.mismatched == 1);
    CHECK(finding.numerics.first_mismatch == Shape{place / 100, place % 100});
    CHECK(finding.numerics.first_expected == 2.0);
    CHECK(finding.numerics.first_got == 3.0);
    CHECK(finding.numerics.max_abs == 1.0);
    CHECK(finding.numerics.max_rel == Approx(0.5));
  }
}

TEST_CASE("the reason tells how many differ, where the first is, and what was expected") {
  CHECK(compare_f32({1, 2, 3, 4}, {1, 2.5, 3, 5}, rtol(1e-3)).reason ==
        "2 of 4 elements differ, first at [1]: expected 2, got 2.5 (max abs 1, max rel 0.25; allowed: rtol 0.001)");
}

TEST_CASE("the reason tells what was allowed, every rule of it") {
  const auto allowed = [](const cases::Tolerance& tolerance) {
    const std::string reason = compare_f32({1, 2, 3}, {2, 4, 6}, tolerance).reason;
    const auto from = reason.find("; allowed: ");
    return from == std::string::npos ? reason : reason.substr(from + 11);
  };
  cases::Tolerance tolerance;
  CHECK(allowed(tolerance) == "nothing)");
  tolerance.rtol = 1e-5;
  tolerance.atol = 1e-7;
  CHECK(allowed(tolerance) == "rtol 1e-05, atol 1e-07)");
  tolerance.ulp = 4;
  tolerance.bias = 0.5;
  tolerance.matched = 0.995;
  tolerance.allow_nan = true;
  CHECK(allowed(tolerance) == "rtol 1e-05, atol 1e-07, ulp 4, bias 0.5, 99.5 % of the elements)");
}

TEST_CASE("the largest errors do not stand beside elements that have none: a NaN has no size") {
  const auto reason = [](const std::vector<float>& got) { return compare_f32({1, 2, 3, 4}, got, rtol(1e-3)).reason; };
  // The second one is right: how far it is off explains nothing.
  CHECK(reason({1, 2.001f, -kNan, 4}) ==
        "1 of 4 elements differ, first at [2]: expected 3, got nan (by a NaN or an infinity; allowed: rtol 0.001)");
  CHECK(reason({kInf, 2.001f, kNan, 4}) ==
        "2 of 4 elements differ, first at [0]: expected 1, got inf (each by a NaN or an infinity; allowed: "
        "rtol 0.001)");
  CHECK(compare_f32({kNan}, {kNan}, rtol(1e-3)).reason ==
        "1 of 1 elements differ, first at [0]: expected nan, got nan (by a NaN or an infinity; allowed: rtol 0.001, no "
        "NaN)");
  CHECK(reason({1, 3, kNan, 4}) ==
        "2 of 4 elements differ, first at [1]: expected 2, got 3 (1 by a NaN or an infinity, the others: max abs 1, "
        "max rel 0.5; allowed: rtol 0.001)");
}

TEST_CASE("what rounding alone explains is said to be that, where rtol asks for too much of a sum that cancels") {
  // Of 1000 - 1000 + 1e-3 an honest kernel keeps no more than the largest term has.
  const auto cancelled = compare_f32({1000, 1e-3f, -1000}, {1000, 4e-4f, -1000}, rtol(1e-5));
  CHECK(verdict::rounding_hint(cancelled, DType::f32) ==
        "; no error is above 6.2 ulp of the output's rms: where terms cancel, give atol too (docs/cases-toml.md, "
        "\"Tolerances\")");
  CHECK(verdict::rounding_hint(compare_f32({1000, 1, -1000}, {1000, 1.1f, -1000}, rtol(1e-5)), DType::f32).empty());
  CHECK(verdict::rounding_hint(compare_f32({1, 2}, {1, kNan}, rtol(1e-5)), DType::f32).empty());
  CHECK(verdict::rounding_hint(compare_f32({1, 2}, {1, 2}, rtol(1e-5)), DType::f32).empty());
}

TEST_CASE("a NaN never passes, unless the reference is NaN and the case allows it") {
  auto tolerance = rtol(1e30);
  tolerance.atol = 1e30;
  CHECK_FALSE(compare_f32({1}, {kNan}, tolerance).right);
  CHECK_FALSE(compare_f32({kNan}, {1}, tolerance).right);
  CHECK_FALSE(compare_f32({kNan}, {kNan}, tolerance).right);
  tolerance.allow_nan = true;
  CHECK(compare_f32({kNan}, {kNan}, tolerance).right);
  CHECK_FALSE(compare_f32({1}, {kNan}, tolerance).right);
  CHECK_FALSE(compare_f32({kNan}, {1}, tolerance).right);
  // In a chunk of its own size too, where the fast path would see it.
  std::vector<float> expected(4096, 1), got(4096, 1);
  got[100] = kNan;
  CHECK_FALSE(compare_f32(expected, got, tolerance).right);
}

TEST_CASE("an infinity passes only where the reference has the same one") {
  CHECK(compare_f32({kInf, -kInf}, {kInf, -kInf}, rtol(0)).right);
  CHECK_FALSE(compare_f32({kInf}, {-kInf}, rtol(1)).right);
  CHECK_FALSE(compare_f32({kInf}, {3e38f}, rtol(1)).right);
  CHECK_FALSE(compare_f32({3e38f}, {kInf}, rtol(1)).right);
}

TEST_CASE("norm and bias alone do not let a NaN through") {
  cases::Tolerance tolerance;
  tolerance.norm = 1e9;
  tolerance.bias = 1e9;
  CHECK_FALSE(compare_f32({1, 1}, {1, kNan}, tolerance).right);
  CHECK(compare_f32({1, 1}, {1, 7}, tolerance).right);
}

TEST_CASE("absolute and relative tolerance add up") {
  auto tolerance = rtol(0.1);
  tolerance.atol = 0.5;
  CHECK(compare_f32({10}, {11.4f}, tolerance).right);
  CHECK_FALSE(compare_f32({10}, {11.6f}, tolerance).right);
}

TEST_CASE("ulp counts steps of the output's own type, across zero too") {
  cases::Tolerance tolerance;
  tolerance.ulp = 1;
  const float next = std::nextafter(1.0f, 2.0f);
  CHECK(compare_f32({1.0f}, {next}, tolerance).right);
  CHECK_FALSE(compare_f32({1.0f}, {std::nextafter(next, 2.0f)}, tolerance).right);
  CHECK(compare_f32({0.0f}, {-0.0f}, tolerance).right);
  CHECK(compare_f32({0.0f}, {-std::numeric_limits<float>::denorm_min()}, tolerance).right);
  const std::vector<std::uint16_t> one{0x3c00}, above{0x3c01}, two_above{0x3c02};
  CHECK(compare_output({DType::f16, bytes(one)}, {DType::f16, bytes(above)}, {1}, tolerance).right);
  CHECK_FALSE(compare_output({DType::f16, bytes(one)}, {DType::f16, bytes(two_above)}, {1}, tolerance).right);
}

TEST_CASE("matched lets a share of the elements differ") {
  std::vector<float> expected(1000, 1), got = expected;
  for (std::size_t i = 0; i < 10; ++i) got[i * 100] = 2;
  auto tolerance = rtol(1e-6);
  tolerance.matched = 0.99;
  CHECK(compare_f32(expected, got, tolerance).right);
  got[1] = 2;
  CHECK_FALSE(compare_f32(expected, got, tolerance).right);
}

TEST_CASE("the norm of the error is held against the reference's") {
  cases::Tolerance tolerance;
  tolerance.norm = 0.1;
  CHECK(compare_f32({3, 4}, {3, 4.4f}, tolerance).right);
  CHECK(compare_f32({3, 4}, {3, 5}, tolerance).reason ==
        "the norm of the error is 0.2 of the reference's, 0.1 is allowed");
}

TEST_CASE("a small error in one direction is a bias") {
  cases::Tolerance tolerance;
  tolerance.bias = 1e-3;
  std::vector<float> expected(4096, 1), up(4096, 1.01f), mixed(4096);
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = i % 2 == 0 ? 1.01f : 0.99f;
  CHECK(compare_f32(expected, up, tolerance).reason ==
        "the mean error is +0.01 of the reference's rms, 0.001 is allowed");
  CHECK(compare_f32(expected, mixed, tolerance).right);
}

TEST_CASE("integers are exact, beyond 2^53 too, unless the case says otherwise") {
  const std::vector<std::int64_t> expected{(1LL << 60)}, near{(1LL << 60) + 1};
  CHECK(compare_output({DType::i64, bytes(expected)}, {DType::i64, bytes(expected)}, {1}, {}).right);
  CHECK_FALSE(compare_output({DType::i64, bytes(expected)}, {DType::i64, bytes(near)}, {1}, {}).right);
  cases::Tolerance exact;  // as cases.toml has it where it says nothing
  exact.atol = 0;
  CHECK_FALSE(compare_output({DType::i64, bytes(expected)}, {DType::i64, bytes(near)}, {1}, exact).right);
  const std::vector<std::int32_t> ten{10}, eleven{11};
  CHECK_FALSE(compare_output({DType::i32, bytes(ten)}, {DType::i32, bytes(eleven)}, {1}, {}).right);
  cases::Tolerance one;
  one.atol = 1;
  CHECK(compare_output({DType::i32, bytes(ten)}, {DType::i32, bytes(eleven)}, {1}, one).right);
}

TEST_CASE("steps of a type are counted from the lowest to the largest value") {
  CHECK(verdict::ulp_steps(DType::f32, 1.0, std::nextafter(1.0f, 2.0f)) == 1);
  CHECK(verdict::ulp_steps(DType::f16, 0.0, -0.0) == 0);
  constexpr double kMost = std::numeric_limits<double>::max();
  CHECK(verdict::ulp_steps(DType::f64, -kMost, kMost) == Approx(2.0 * 0x7FEFFFFFFFFFFFFFp0));
}

TEST_CASE("a reference may answer in a wider type") {
  const std::vector<double> expected{1.0 / 3};
  const std::vector<float> got{1.0f / 3};
  CHECK(compare_output({DType::f64, bytes(expected)}, {DType::f32, bytes(got)}, {1}, rtol(1e-6)).right);
}

TEST_CASE("every half precision pattern is widened as the element's own conversion does") {
  std::vector<std::uint16_t> halves(65536);
  std::vector<double> expected(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    halves[i] = static_cast<std::uint16_t>(i);
    expected[i] = load_element(DType::f16, reinterpret_cast<const std::byte*>(&halves[i]));
  }
  cases::Tolerance tolerance = rtol(0);
  tolerance.allow_nan = true;
  CHECK(compare_output({DType::f64, bytes(expected)}, {DType::f16, bytes(halves)}, {halves.size()}, tolerance).right);
}

TEST_CASE("the fast and the careful path agree on random data with every kind of value") {
  RandomStream random(42, 0);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t count = 1 + random.below(6000);
    std::vector<float> expected(count), got(count);
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      expected[i] = static_cast<float>(random.uniform() * 4 - 2);
      got[i] = expected[i];
      const auto kind = random.below(2000);
      if (kind == 0) got[i] = kNan;
      if (kind == 1) got[i] = kInf;
      if (kind == 2) got[i] = expected[i] + 1;
      if (kind == 3) expected[i] = got[i] = -kInf;
      wrong += kind < 3;
    }
    const auto finding = compare_f32(expected, got, rtol(1e-6));
    CHECK(finding.numerics.mismatched == static_cast<std::int64_t>(wrong));
    CHECK(finding.right == (wrong == 0));
  }
}

TEST_CASE("an output of no elements is right") {
  CHECK(compare_f32({}, {}, rtol(0)).right);
}
