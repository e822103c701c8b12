#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/dtype.h"
#include "base/philox.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <typename T>
T stored(DType type, double value) {
  T bits{};
  store_element(type, value, reinterpret_cast<std::byte*>(&bits));
  return bits;
}

template <typename T>
double loaded(DType type, T bits) {
  return load_element(type, reinterpret_cast<const std::byte*>(&bits));
}

// A format spelled out as its definition says, to check the bit tricks against. `finite` counts the patterns without
// sign that are numbers.
struct Definition {
  DType type;
  int exponent_bits, mantissa_bits;
  unsigned finite;
  bool has_infinity;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  unsigned sign() const { return 1U << (exponent_bits + mantissa_bits); }
  // The value of a pattern without sign; one beyond the largest is what the next would be if the format went on.
  double value(unsigned pattern) const {
    const int exponent = static_cast<int>(pattern >> mantissa_bits);
    const double fraction = std::ldexp(pattern & ((1U << mantissa_bits) - 1), -mantissa_bits);
    return exponent == 0 ? std::ldexp(fraction, 1 - bias()) : std::ldexp(1 + fraction, exponent - bias());
  }
};

const std::vector<Definition> kSmall{
    {DType::f16, 5, 10, 0x7c00, true},
    {DType::bf16, 8, 7, 0x7f80, true},
    {DType::f8e4m3, 4, 3, 0x7f, false},
    {DType::f8e5m2, 5, 2, 0x7c, true},
};

unsigned stored_small(const Definition& format, double value) {
  return size_of(format.type) == 1 ? stored<std::uint8_t>(format.type, value)
                                   : stored<std::uint16_t>(format.type, value);
}

double loaded_small(const Definition& format, unsigned bits) {
  return size_of(format.type) == 1 ? loaded(format.type, static_cast<std::uint8_t>(bits))
                                   : loaded(format.type, static_cast<std::uint16_t>(bits));
}

// The nearest pattern by search, ties to the even one. The first pattern beyond the finite ones stands for overflow, as
// IEEE 754 has it.
unsigned nearest_by_search(const Definition& format, const std::vector<double>& values, double magnitude) {
  const auto above = std::lower_bound(values.begin(), values.end(), magnitude);
  if (above == values.end()) return format.finite;
  const auto upper = static_cast<unsigned>(above - values.begin());
  if (*above == magnitude || upper == 0) return upper;
  const double to_upper = *above - magnitude, to_lower = magnitude - values[upper - 1];  // exact: both are close
  if (to_upper != to_lower) return to_upper < to_lower ? upper : upper - 1;
  return upper % 2 == 0 ? upper : upper - 1;
}

}  // namespace

TEST_CASE("element types have the names and sizes of cases.toml") {
  const std::vector<std::pair<std::string, std::size_t>> expected{
      {"f64", 8}, {"f32", 4}, {"f16", 2}, {"bf16", 2}, {"f8e4m3", 1}, {"f8e5m2", 1}, {"i64", 8}, {"i32", 4},
      {"i16", 2}, {"i8", 1},  {"u64", 8}, {"u32", 4},  {"u16", 2},    {"u8", 1},     {"bool", 1}};
  for (const auto& [name, size] : expected) {
    const auto type = dtype_from_name(name);
    REQUIRE(type.has_value());
    CHECK(name_of(*type) == name);
    CHECK(size_of(*type) == size);
    CHECK(is_float(*type) == (name.find('f') != std::string::npos));
  }
  CHECK_FALSE(dtype_from_name("float").has_value());
  CHECK_FALSE(dtype_from_name("").has_value());
}

TEST_CASE("every pattern of a small float reads as its definition says and is written back the same") {
  for (const Definition& format : kSmall) {
    INFO(name_of(format.type));
    int wrong = 0;
    for (unsigned pattern = 0; pattern < format.sign(); ++pattern) {
      for (const unsigned sign : {0U, format.sign()}) {
        const double value = loaded_small(format, sign | pattern);
        const double factor = sign == 0 ? 1 : -1;
        if (pattern < format.finite) {
          wrong += value == factor * format.value(pattern) && std::signbit(value) == (sign != 0) ? 0 : 1;
          wrong += stored_small(format, value) == (sign | pattern) ? 0 : 1;
        } else if (pattern == format.finite && format.has_infinity) {
          wrong += value == factor * kInfinity ? 0 : 1;
          wrong += stored_small(format, value) == (sign | pattern) ? 0 : 1;
        } else {
          const unsigned again = stored_small(format, value);
          const unsigned quiet = format.has_infinity ? 1U << (format.mantissa_bits - 1) : 0;
          wrong += std::isnan(value) && again == (sign | pattern | quiet) ? 0 : 1;
        }
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("small floats are rounded once, to nearest, ties to even, as a search finds it") {
  for (const Definition& format : kSmall) {
    INFO(name_of(format.type));
    std::vector<double> values;
    for (unsigned pattern = 0; pattern <= format.finite; ++pattern) values.push_back(format.value(pattern));
    std::vector<double> probes{0, 1e-320, 1e-300, 1e300, std::numeric_limits<double>::max(), kInfinity};
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      const double middle = values[i] + (values[i + 1] - values[i]) / 2;
      for (const double value : {values[i], middle}) {
        probes.insert(probes.end(), {value, std::nextafter(value, 0.0), std::nextafter(value, kInfinity)});
      }
    }
    RandomStream random(7, 0);
    for (int i = 0; i < 20000; ++i)
      probes.push_back(std::ldexp(1 + random.uniform(), static_cast<int>(random.below(300)) - 150));
    int wrong = 0;
    for (const double probe : probes) {
      const unsigned expected = nearest_by_search(format, values, probe);
      wrong += stored_small(format, probe) == expected ? 0 : 1;
      wrong += stored_small(format, -probe) == (expected | format.sign()) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a value that two roundings would get wrong is rounded once") {
  // Just above the middle between 1 and the next f16. As f32 it is the middle itself, which would go down to 1.
  CHECK(stored<std::uint16_t>(DType::f16, 1 + 0x1p-11 + 0x1p-40) == 0x3c01);
  CHECK(stored<std::uint16_t>(DType::bf16, 1 + 0x1p-8 + 0x1p-40) == 0x3f81);
}

TEST_CASE("8-bit floats overflow as the OCP formats say") {
  CHECK(stored<std::uint8_t>(DType::f8e4m3, 448) == 0x7e);
  CHECK(stored<std::uint8_t>(DType::f8e4m3, 464) == 0x7e);  // the middle to what would be 480, ties to even
  CHECK(stored<std::uint8_t>(DType::f8e4m3, 465) == 0x7f);  // NaN: there is no infinity
  CHECK(stored<std::uint8_t>(DType::f8e4m3, -kInfinity) == 0xff);
  CHECK(stored<std::uint8_t>(DType::f8e5m2, 57344) == 0x7b);
  CHECK(stored<std::uint8_t>(DType::f8e5m2, 61439) == 0x7b);
  CHECK(stored<std::uint8_t>(DType::f8e5m2, 61440) == 0x7c);
  CHECK(stored<std::uint8_t>(DType::f8e5m2, -1e9) == 0xfc);
}

TEST_CASE("NaN stays NaN in every float, and becomes 0 in an integer") {
  for (const DType type : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    std::byte element[8]{};
    store_element(type, kNaN, element);
    CHECK(std::isnan(load_element(type, element)));
  }
  CHECK(stored<std::int32_t>(DType::i32, kNaN) == 0);
  CHECK(stored<std::uint8_t>(DType::u8, kNaN) == 0);
}

TEST_CASE("f32 is the nearest float, with subnormals and infinity") {
  CHECK(stored<float>(DType::f32, 0.1) == 0.1F);
  CHECK(stored<float>(DType::f32, 0x1p-149) == 0x1p-149F);
  CHECK(stored<float>(DType::f32, 0x1p-150) == 0);  // a tie, to even
  CHECK(stored<float>(DType::f32, 0x1.8p-149) == 0x1p-148F);
  CHECK(stored<float>(DType::f32, 1e300) == std::numeric_limits<float>::infinity());
  CHECK(stored<float>(DType::f32, 1 + 0x1p-24) == 1.0F);
  CHECK(stored<float>(DType::f32, 1 + 0x1p-24 + 0x1p-50) == 1 + 0x1p-23F);
  CHECK(stored<double>(DType::f64, 0.1) == 0.1);
}

TEST_CASE("integers are rounded to nearest, ties to even, and saturate") {
  CHECK(stored<std::int8_t>(DType::i8, 2.5) == 2);
  CHECK(stored<std::int8_t>(DType::i8, 3.5) == 4);
  CHECK(stored<std::int8_t>(DType::i8, -2.5) == -2);
  CHECK(stored<std::int8_t>(DType::i8, 127.4) == 127);
  CHECK(stored<std::int8_t>(DType::i8, 128) == 127);
  CHECK(stored<std::int8_t>(DType::i8, -1e300) == -128);
  CHECK(stored<std::uint8_t>(DType::u8, -0.5) == 0);
  CHECK(stored<std::uint8_t>(DType::u8, -3) == 0);
  CHECK(stored<std::uint8_t>(DType::u8, 255.5) == 255);
  CHECK(stored<std::int16_t>(DType::i16, 40000) == 32767);
  CHECK(stored<std::uint16_t>(DType::u16, 65534.5) == 65534);
  CHECK(stored<std::int32_t>(DType::i32, 2147483647.0) == 2147483647);
  CHECK(stored<std::int32_t>(DType::i32, -2147483649.0) == std::numeric_limits<std::int32_t>::min());
  CHECK(stored<std::uint32_t>(DType::u32, 4294967296.0) == 4294967295U);
  CHECK(stored<std::int64_t>(DType::i64, 0x1p63) == std::numeric_limits<std::int64_t>::max());
  CHECK(stored<std::int64_t>(DType::i64, -0x1p63) == std::numeric_limits<std::int64_t>::min());
  CHECK(stored<std::int64_t>(DType::i64, 0x1p53) == std::int64_t{1} << 53);
  CHECK(stored<std::uint64_t>(DType::u64, 0x1p64) == std::numeric_limits<std::uint64_t>::max());
  CHECK(stored<std::uint64_t>(DType::u64, kInfinity) == std::numeric_limits<std::uint64_t>::max());
  CHECK(stored<std::uint64_t>(DType::u64, -kInfinity) == 0);
}

TEST_CASE("integers read back as they were written") {
  for (const DType type :
       {DType::i64, DType::i32, DType::i16, DType::i8, DType::u64, DType::u32, DType::u16, DType::u8}) {
    for (const double value : {0.0, 1.0, 100.0, 127.0}) {
      std::byte element[8]{};
      store_element(type, value, element);
      CHECK(load_element(type, element) == value);
    }
  }
  CHECK(loaded(DType::i64, std::int64_t{-5}) == -5);
  CHECK(loaded(DType::i8, std::int8_t{-128}) == -128);
  CHECK(loaded(DType::u16, std::uint16_t{65535}) == 65535);
}

TEST_CASE("a bool is whether the value is not zero") {
  CHECK(stored<std::uint8_t>(DType::boolean, 0) == 0);
  CHECK(stored<std::uint8_t>(DType::boolean, -0.0) == 0);
  CHECK(stored<std::uint8_t>(DType::boolean, 1e-300) == 1);
  CHECK(loaded(DType::boolean, std::uint8_t{1}) == 1);
}

TEST_CASE("elements may lie at any address") {
  std::byte bytes[16]{};
  store_element(DType::f64, 1.5, bytes + 3);
  store_element(DType::f16, -2, bytes + 11);
  CHECK(load_element(DType::f64, bytes + 3) == 1.5);
  CHECK(load_element(DType::f16, bytes + 11) == -2);
}
