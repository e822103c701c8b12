#include "base/dtype.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/error.h"

// Small floats are made from f64 in one step. Going through f32 would round twice, and a value that the first rounding
// puts exactly between two neighbours would then go the wrong way: 1 + 2^-11 + 2^-40 is the nearest example for f16.
namespace kgate {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian in memory as in files");

struct Names {
  DType type;
  std::string_view name;
  std::size_t size;
};

constexpr std::array<Names, 15> kTypes{{
    {DType::f64, "f64", 8},
    {DType::f32, "f32", 4},
    {DType::f16, "f16", 2},
    {DType::bf16, "bf16", 2},
    {DType::f8e4m3, "f8e4m3", 1},
    {DType::f8e5m2, "f8e5m2", 1},
    {DType::i64, "i64", 8},
    {DType::i32, "i32", 4},
    {DType::i16, "i16", 2},
    {DType::i8, "i8", 1},
    {DType::u64, "u64", 8},
    {DType::u32, "u32", 4},
    {DType::u16, "u16", 2},
    {DType::u8, "u8", 1},
    {DType::boolean, "bool", 1},
}};

const Names& entry(DType type) {
  for (const Names& known : kTypes) {
    if (known.type == type) return known;
  }
  throw Error(ErrorKind::internal, "element type " + std::to_string(static_cast<int>(type)), "is not known");
}

// A binary floating-point format of at most 16 bits: sign, exponent, mantissa. Below the sign, patterns are ordered
// like values.
struct SmallFloat {
  int exponent_bits, mantissa_bits;
  std::uint64_t largest;   // the largest finite pattern
  std::uint64_t overflow;  // the pattern for what is larger: infinity, or NaN where there is none
  std::uint64_t quiet;     // a quiet NaN

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

constexpr SmallFloat kF16{5, 10, 0x7bff, 0x7c00, 0x7e00};
constexpr SmallFloat kBf16{8, 7, 0x7f7f, 0x7f80, 0x7fc0};
constexpr SmallFloat kF8e4m3{4, 3, 0x7e, 0x7f, 0x7f};
constexpr SmallFloat kF8e5m2{5, 2, 0x7b, 0x7c, 0x7e};

constexpr int kDoubleMantissa = 52, kDoubleBias = 1023;

std::uint64_t encode(const SmallFloat& format, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = (bits >> 63) << (format.exponent_bits + format.mantissa_bits);
  const int exponent = static_cast<int>((bits >> kDoubleMantissa) & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << kDoubleMantissa) - 1);
  if (exponent == 0x7ff && fraction != 0) {
    // The payload's upper bits stay, as the hardware's conversions do it.
    return sign | format.quiet | fraction >> (kDoubleMantissa - format.mantissa_bits);
  }
  if (exponent == 0x7ff) return sign | format.overflow;
  if (exponent == 0) return sign;  // a subnormal f64 is far below half of the smallest value of any of these

  const int target = exponent - kDoubleBias + format.bias();
  if (target >= 1 << format.exponent_bits) return sign | format.overflow;
  const std::uint64_t mantissa = fraction | std::uint64_t{1} << kDoubleMantissa;
  const int shift = kDoubleMantissa - format.mantissa_bits + (target < 1 ? 1 - target : 0);
  if (shift > kDoubleMantissa + 1) return sign;  // under half of the smallest subnormal
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t rest = mantissa & (2 * half - 1);
  std::uint64_t pattern = mantissa >> shift;
  if (rest > half || (rest == half && (pattern & 1) != 0)) ++pattern;
  // The implicit bit, where there is one, and a carry of the rounding both count as one in the exponent.
  if (target > 1) pattern += static_cast<std::uint64_t>(target - 1) << format.mantissa_bits;
  return sign | (pattern > format.largest ? format.overflow : pattern);
}

double decode(const SmallFloat& format, std::uint64_t bits) {
  const int magnitude_bits = format.exponent_bits + format.mantissa_bits;
  const std::uint64_t sign = (bits >> magnitude_bits) << 63;
  const std::uint64_t magnitude = bits & ((std::uint64_t{1} << magnitude_bits) - 1);
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  if (magnitude > format.largest) {
    const bool infinite = format.overflow != format.quiet && magnitude == format.overflow;
    const std::uint64_t payload = infinite ? 0 : fraction << (kDoubleMantissa - format.mantissa_bits);
    return std::bit_cast<double>(sign | std::uint64_t{0x7ff} << kDoubleMantissa | payload);
  }
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  if (exponent == 0) {
    const double value = std::ldexp(static_cast<double>(fraction), 1 - format.bias() - format.mantissa_bits);
    return sign != 0 ? -value : value;
  }
  const int rebased = exponent - format.bias() + kDoubleBias;
  return std::bit_cast<double>(sign | static_cast<std::uint64_t>(rebased) << kDoubleMantissa |
                               fraction << (kDoubleMantissa - format.mantissa_bits));
}

template <typename T>
T read(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof(value));
  return value;
}

template <typename T>
void write(T value, std::byte* element) {
  std::memcpy(element, &value, sizeof(value));
}

template <typename T>
T to_integer(double value) {
  if (std::isnan(value)) return 0;
  // Both bounds are powers of two (or 0), so exact in f64; the largest integer itself may not be.
  const double below = static_cast<double>(std::numeric_limits<T>::min());
  const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
  const double rounded = std::nearbyint(value);
  if (rounded < below) return std::numeric_limits<T>::min();
  if (rounded >= above) return std::numeric_limits<T>::max();
  return static_cast<T>(rounded);
}

}  // namespace

std::size_t size_of(DType type) {
  return entry(type).size;
}

std::string_view name_of(DType type) {
  return entry(type).name;
}

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const Names& known : kTypes) {
    if (known.name == name) return known.type;
  }
  return std::nullopt;
}

bool is_float(DType type) {
  switch (type) {
    case DType::f64:
    case DType::f32:
    case DType::f16:
    case DType::bf16:
    case DType::f8e4m3:
    case DType::f8e5m2:
      return true;
    default:
      return false;
  }
}

double load_element(DType type, const std::byte* element) {
  switch (type) {
    case DType::f64:
      return read<double>(element);
    case DType::f32:
      return static_cast<double>(read<float>(element));
    case DType::f16:
      return decode(kF16, read<std::uint16_t>(element));
    case DType::bf16:
      return decode(kBf16, read<std::uint16_t>(element));
    case DType::f8e4m3:
      return decode(kF8e4m3, read<std::uint8_t>(element));
    case DType::f8e5m2:
      return decode(kF8e5m2, read<std::uint8_t>(element));
    case DType::i64:
      return static_cast<double>(read<std::int64_t>(element));
    case DType::i32:
      return read<std::int32_t>(element);
    case DType::i16:
      return read<std::int16_t>(element);
    case DType::i8:
      return read<std::int8_t>(element);
    case DType::u64:
      return static_cast<double>(read<std::uint64_t>(element));
    case DType::u32:
      return read<std::uint32_t>(element);
    case DType::u16:
      return read<std::uint16_t>(element);
    case DType::u8:
      return read<std::uint8_t>(element);
    case DType::boolean:
      return read<std::uint8_t>(element) != 0 ? 1.0 : 0.0;
  }
  return static_cast<double>(entry(type).size);  // throws: the type is none of these
}

void store_element(DType type, double value, std::byte* element) {
  switch (type) {
    case DType::f64:
      return write(value, element);
    case DType::f32:
      return write(static_cast<float>(value), element);
    case DType::f16:
      return write(static_cast<std::uint16_t>(encode(kF16, value)), element);
    case DType::bf16:
      return write(static_cast<std::uint16_t>(encode(kBf16, value)), element);
    case DType::f8e4m3:
      return write(static_cast<std::uint8_t>(encode(kF8e4m3, value)), element);
    case DType::f8e5m2:
      return write(static_cast<std::uint8_t>(encode(kF8e5m2, value)), element);
    case DType::i64:
      return write(to_integer<std::int64_t>(value), element);
    case DType::i32:
      return write(to_integer<std::int32_t>(value), element);
    case DType::i16:
      return write(to_integer<std::int16_t>(value), element);
    case DType::i8:
      return write(to_integer<std::int8_t>(value), element);
    case DType::u64:
      return write(to_integer<std::uint64_t>(value), element);
    case DType::u32:
      return write(to_integer<std::uint32_t>(value), element);
    case DType::u16:
      return write(to_integer<std::uint16_t>(value), element);
    case DType::u8:
      return write(to_integer<std::uint8_t>(value), element);
    case DType::boolean:
      return write(static_cast<std::uint8_t>(value != 0.0 ? 1 : 0), element);
  }
  static_cast<void>(entry(type));  // throws: the type is none of these
}

}  // namespace kgate
