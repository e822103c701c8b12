#include <cmath>
#include <vector>

#include <boost/math/distributions/normal.hpp>

#include "base/philox.h"
#include "gate/cases/normal.h"
#include "tests/support/catch.h"

using kgate::cases::inverse_normal;
using kgate::cases::kNormalLimit;
using kgate::cases::standard_normals;

namespace {

double one(std::uint64_t word) {
  double value = 0;
  standard_normals(&word, 1, &value);
  return value;
}

// Distance in units of the reference's last place, or of 1e-17 near 0.
double relative_error(double value, double reference) {
  return std::abs(value - reference) / std::max(std::abs(reference), 1e-3);
}

}  // namespace

TEST_CASE("the inverse normal distribution agrees with Boost.Math to 15 digits") {
  const boost::math::normal_distribution<double> normal;
  double worst = 0;
  for (int i = 1; i < 20000; ++i) {
    const double p = i / 20000.0;
    worst = std::max(worst, relative_error(inverse_normal(p), boost::math::quantile(normal, p)));
  }
  for (double p = 1e-300; p < 0.4; p *= 1.37) {
    worst = std::max(worst, relative_error(inverse_normal(p), boost::math::quantile(normal, p)));
  }
  CHECK(worst < 2e-15);
  CHECK(inverse_normal(0.5) == 0.0);
  CHECK(inverse_normal(0.25) == -inverse_normal(0.75));
}

TEST_CASE("standard normals are symmetric, finite and within their limit") {
  CHECK(one(~std::uint64_t{0}) == -one(~std::uint64_t{0} >> 1));
  CHECK(one(0) > 8.2);
  CHECK(one(0) < kNormalLimit);
  CHECK(one(std::uint64_t{1} << 63) == -one(0));
  CHECK(std::abs(one(~std::uint64_t{0})) < 1e-15);
}

TEST_CASE("a normal of a batch is the same as alone, in the centre and in the tails") {
  kgate::RandomStream stream(7, 0);
  std::vector<std::uint64_t> words(4097);
  for (std::uint64_t& word : words) word = stream.next64();
  std::vector<double> values(words.size());
  standard_normals(words.data(), words.size(), values.data());
  bool same = true;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    same = same && values[i] == one(words[i]);
    sum += values[i];
    squares += values[i] * values[i];
  }
  CHECK(same);
  const auto n = static_cast<double>(words.size());
  CHECK(std::abs(sum / n) < 0.06);
  CHECK(std::abs(squares / n - 1) < 0.1);
}
