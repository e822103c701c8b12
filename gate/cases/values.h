#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/dtype.h"

// What an element type can hold, asked before values are made, so that no seed makes a case fail that another seed lets
// pass.
namespace kgate::cases {

// Whether `value`, rounded once, is a value of the type: integers do not saturate, floats do not overflow (an infinity
// fits where the type has one, NaN likewise).
bool fits(DType type, double value);
// `value` rounded to the type, as f64.
double rounded(DType type, double value);
// The largest value of the type that is less than `bound`; bound is finite and fits.
double largest_below(DType type, double bound);

using ElementBytes = std::array<std::byte, 8>;  // the first size_of(type) count

// A value by its name in `special`: "zero", "-zero", "inf", "-inf", "nan", "denormal", "max" and "min" (the largest and
// the lowest finite one). Nothing where the type has none such.
std::optional<ElementBytes> special_value(DType type, const std::string& name);

// The greatest n for which 0 .. n-1 are all exact in the type.
std::uint64_t exact_counts(DType type);

// An i64 or u64 that f64 would round; other types take what store_element takes. False where it does not fit.
bool store_integer(DType type, std::int64_t value, std::byte* element);

}  // namespace kgate::cases
