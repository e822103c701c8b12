#include "gate/cases/normal.h"

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>

// Inputs must be the same bytes everywhere, and the C library's log is not the same function on every machine (glibc's
// has changed its last bit between versions). So the logarithm here is made of operations that IEEE 754 defines to the
// bit, with contraction to fused multiply-adds turned off (CMakeLists.txt). The inverse of the distribution was
// preferred to Box-Muller and the ziggurat: one number needs exactly one word of the counter-based generator, so
// element i needs nothing of element i - 1.
namespace kgate::cases {
namespace {

static_assert(FLT_EVAL_METHOD == 0, "doubles must be computed as doubles");
#ifdef __FAST_MATH__
#error "inputs must be the same bytes everywhere: build without -ffast-math"
#endif

// ln 2 in two parts; the first has 21 trailing zero bits, so that its product with an exponent is exact.
constexpr double kLog2High = 0x1.62e42fee00000p-1, kLog2Low = 0x1.a39ef35793c76p-33;

// ln(x) for normal x > 0, to about one unit in the last place: x = 2^k m with m in [sqrt(1/2), sqrt(2)), and
// ln(m) = 2 atanh(s) for s = (m - 1) / (m + 1), |s| <= 0.1716, whose series is under 2^-54 after s^21.
double logarithm(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffU) | 0x3ff0000000000000U);
  if (m > 0x1.6a09e667f3bcdp+0) {
    m *= 0.5;
    ++exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double series = 1.0 / 21;
  for (const double term : {1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3}) {
    series = series * z + term;
  }
  const double k = exponent;
  const double mantissa_part = 2.0 * s + 2.0 * s * (z * series);
  return k * kLog2High + (mantissa_part + k * kLog2Low);
}

// The coefficients of the paper, highest power first.
using Polynomial = std::array<double, 8>;
constexpr Polynomial kCentreTop{2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
                                4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
                                1.3314166789178437745e2, 3.3871328727963666080e0};
constexpr Polynomial kCentreBottom{
    5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
    5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0};
constexpr Polynomial kMiddleTop{7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
                                1.27045825245236838258e0,  3.64784832476320460504e0,  5.76949722146069140550e0,
                                4.63033784615654529590e0,  1.42343711074968357734e0};
constexpr Polynomial kMiddleBottom{
    1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
    6.89767334985100004550e-1, 1.67638483018380384940e0,  2.05319162663775882187e0,  1.0};
constexpr Polynomial kFarTop{2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
                             2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e0,
                             5.46378491116411436990e0,  6.65790464350110377720e0};
constexpr Polynomial kFarBottom{
    2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
    1.48753612908506148525e-2,  1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0};

double value_of(const Polynomial& polynomial, double x) {
  double value = polynomial[0];
  for (std::size_t i = 1; i < polynomial.size(); ++i) value = value * x + polynomial[i];
  return value;
}

constexpr double kCentre = 0.425;

double central(double centre) {
  const double r = 0.180625 - centre * centre;
  return centre * value_of(kCentreTop, r) / value_of(kCentreBottom, r);
}

double tail(double p) {
  const double r = std::sqrt(-logarithm(p));
  if (r <= 5.0) return value_of(kMiddleTop, r - 1.6) / value_of(kMiddleBottom, r - 1.6);
  return value_of(kFarTop, r - 5.0) / value_of(kFarBottom, r - 5.0);
}

// (m + 1/2) 2^-53 for m of 52 bits: exact, never 0 and never 1/2.
double lower_half(std::uint64_t word) {
  const std::uint64_t m = (word >> 11) & 0x000fffffffffffffU;
  return (std::bit_cast<double>(m | 0x3ff0000000000000U) - 1.0) * 0.5 + 0x1p-54;
}

double with_sign_of(std::uint64_t word, double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (word & 0x8000000000000000U));
}

}  // namespace

double inverse_normal(double p) {
  const double lower = p < 0.5 ? p : 1.0 - p, centre = p < 0.5 ? 0.5 - p : p - 0.5;
  const double value = centre <= kCentre ? central(centre) : tail(lower);
  return p < 0.5 ? -value : value;
}

// In two passes: the centre's formula for all, without a branch, so that the compiler can use vectors; then the 15 % in
// the tails again.
void standard_normals(const std::uint64_t* words, std::size_t count, double* values) {
  for (std::size_t i = 0; i < count; ++i) values[i] = with_sign_of(words[i], central(0.5 - lower_half(words[i])));
  for (std::size_t i = 0; i < count; ++i) {
    const double p = lower_half(words[i]);
    if (0.5 - p > kCentre) values[i] = with_sign_of(words[i], tail(p));
  }
}

}  // namespace kgate::cases
