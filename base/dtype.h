#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kgate {

// Element types. f8e4m3 and f8e5m2 are the OCP 8-bit formats (OCP 8-bit Floating Point Specification 1.0): e4m3 has no
// infinities and one NaN a sign, and 448 is its largest value; e5m2 follows IEEE 754. boolean is one byte, 0 or 1.
enum class DType : std::uint8_t { f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

std::size_t size_of(DType type);
std::string_view name_of(DType type);  // as in cases.toml; boolean is "bool"
std::optional<DType> dtype_from_name(std::string_view name);
bool is_float(DType type);

// One element at `element` (unaligned is fine) as f64: exact for all but i64 and u64 beyond 2^53.
double load_element(DType type, const std::byte* element);
// Rounds `value` once, to nearest with ties to even, and stores it. Floats overflow to infinity (f8e4m3: to NaN, as
// CUDA's non-saturating conversion does); integers saturate, NaN becomes 0; boolean is value != 0.
void store_element(DType type, double value, std::byte* element);

}  // namespace kgate
