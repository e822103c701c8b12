#include "gate/cases/values.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace kgate::cases {
namespace {

struct Limits {
  int digits;            // bits of the mantissa with the implicit one; or value bits of an integer
  double largest;        // finite
  double smallest;       // the smallest normal float
  bool infinity = true;  // whether there is one
  bool is_signed = true;
};

Limits limits_of(DType type) {
  switch (type) {
    case DType::f64:
      return {53, std::numeric_limits<double>::max(), std::numeric_limits<double>::min()};
    case DType::f32:
      return {24, std::numeric_limits<float>::max(), std::numeric_limits<float>::min()};
    case DType::f16:
      return {11, 65504.0, 0x1p-14};
    case DType::bf16:
      return {8, 0x1.fep127, 0x1p-126};
    case DType::f8e4m3:
      return {4, 448.0, 0x1p-6, false};
    case DType::f8e5m2:
      return {3, 57344.0, 0x1p-14};
    case DType::i64:
      return {63, 0x1p63, 0};
    case DType::i32:
      return {31, 0x1p31, 0};
    case DType::i16:
      return {15, 0x1p15, 0};
    case DType::i8:
      return {7, 0x1p7, 0};
    case DType::u64:
      return {64, 0x1p64, 0, false, false};
    case DType::u32:
      return {32, 0x1p32, 0, false, false};
    case DType::u16:
      return {16, 0x1p16, 0, false, false};
    case DType::u8:
      return {8, 0x1p8, 0, false, false};
    case DType::boolean:
      return {1, 2, 0, false, false};
  }
  return {};
}

std::uint64_t bits_of(DType type, const ElementBytes& bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), size_of(type));
  return bits;
}

ElementBytes stored(DType type, double value) {
  ElementBytes bytes{};
  store_element(type, value, bytes.data());
  return bytes;
}

}  // namespace

bool fits(DType type, double value) {
  const Limits limits = limits_of(type);
  if (is_float(type)) {
    if (std::isnan(value)) return true;
    if (std::isinf(value)) return limits.infinity;
    return std::isfinite(rounded(type, value));
  }
  if (type == DType::boolean) return value == 0.0 || value == 1.0;
  const double whole = std::nearbyint(value);
  return whole >= (limits.is_signed ? -limits.largest : 0.0) && whole < limits.largest;
}

double rounded(DType type, double value) {
  ElementBytes bytes{};
  store_element(type, value, bytes.data());
  return load_element(type, bytes.data());
}

double largest_below(DType type, double bound) {
  if (!is_float(type)) return std::ceil(bound) - 1.0;
  const ElementBytes bytes = stored(type, bound);
  if (load_element(type, bytes.data()) < bound) return load_element(type, bytes.data());
  // One step down; patterns are ordered like magnitudes.
  const std::uint64_t sign = std::uint64_t{1} << (8 * size_of(type) - 1);
  std::uint64_t bits = bits_of(type, bytes);
  if ((bits & ~sign) == 0) {
    bits = sign | 1U;
  } else {
    bits = (bits & sign) != 0 ? bits + 1 : bits - 1;
  }
  ElementBytes below{};
  std::memcpy(below.data(), &bits, size_of(type));
  return load_element(type, below.data());
}

std::optional<ElementBytes> special_value(DType type, const std::string& name) {
  const Limits limits = limits_of(type);
  if (type == DType::boolean) return std::nullopt;
  if (name == "zero") return stored(type, 0.0);
  if (!is_float(type)) {
    if (name == "max") return stored(type, limits.largest);  // saturates
    if (name == "min") return stored(type, limits.is_signed ? -limits.largest : 0.0);
    return std::nullopt;
  }
  if (name == "-zero") return stored(type, -0.0);
  if (name == "nan") return stored(type, std::numeric_limits<double>::quiet_NaN());
  if (name == "denormal") return stored(type, limits.smallest / 2);
  if (name == "max") return stored(type, limits.largest);
  if (name == "min") return stored(type, -limits.largest);
  if (!limits.infinity) return std::nullopt;
  if (name == "inf") return stored(type, std::numeric_limits<double>::infinity());
  if (name == "-inf") return stored(type, -std::numeric_limits<double>::infinity());
  return std::nullopt;
}

std::uint64_t exact_counts(DType type) {
  const int digits = limits_of(type).digits;
  if (!is_float(type)) return digits >= 53 ? std::uint64_t{1} << 53 : std::uint64_t{1} << digits;
  return (std::uint64_t{1} << digits) + 1;  // 2^digits itself is exact too
}

bool store_integer(DType type, std::int64_t value, std::byte* element) {
  if (type == DType::i64 || type == DType::u64) {
    if (type == DType::u64 && value < 0) return false;
    std::memcpy(element, &value, sizeof(value));
    return true;
  }
  if (!fits(type, static_cast<double>(value))) return false;
  store_element(type, static_cast<double>(value), element);
  return true;
}

}  // namespace kgate::cases
