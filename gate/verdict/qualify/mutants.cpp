#include "gate/verdict/qualify/mutants.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "gate/verdict/check/compare.h"

namespace kgate::verdict {
namespace {

using Why = std::string;  // there is no such wrong answer here; empty: there is

std::uint64_t count_of(const RightAnswer& right) {
  return right.rounded.size() / size_of(right.dtype);
}

double reference_at(const RightAnswer& right, std::uint64_t index) {
  return load_element(right.reference.dtype, right.reference.bytes.data() + index * size_of(right.reference.dtype));
}

std::byte* element(const RightAnswer& right, Bytes& out, std::uint64_t index) {
  return out.data() + index * size_of(right.dtype);
}

// Every element anew, from the reference's, which is not rounded yet.
template <typename Value>
Why each(const RightAnswer& right, Bytes& out, const Value& value) {
  for (std::uint64_t i = 0; i < count_of(right); ++i) {
    store_element(right.dtype, value(reference_at(right, i)), element(right, out, i));
  }
  return {};
}

Why fill(const RightAnswer& right, double value, Bytes& out) {
  return each(right, out, [value](double) { return value; });
}

struct Moments {
  double mean = 0, rms = 0;  // of the finite elements
};

Moments moments_of(const RightAnswer& right) {
  double sum = 0, squares = 0;
  std::uint64_t finite = 0;
  for (std::uint64_t i = 0; i < count_of(right); ++i) {
    const double value = reference_at(right, i);
    if (!std::isfinite(value)) continue;
    sum += value;
    squares += value * value;
    ++finite;
  }
  if (finite == 0) return {};
  const auto n = static_cast<double>(finite);
  // Squares of the largest f64 overflow; half of the largest is as good.
  return {sum / n, std::min(std::sqrt(squares / n), std::numeric_limits<double>::max() / 2)};
}

Why copy_of(const std::string& input, const RightAnswer& right, Bytes& out) {
  const auto found = right.inputs.find(input);
  if (found == right.inputs.end()) return "the input has another number of elements";
  const auto& [type, bytes] = found->second;
  if (type == right.dtype) {
    std::memcpy(out.data(), bytes.data(), out.size());
    return {};
  }
  for (std::uint64_t i = 0; i < count_of(right); ++i) {
    store_element(right.dtype, load_element(type, bytes.data() + i * size_of(type)), element(right, out, i));
  }
  return {};
}

// What memory holds that nobody wrote.
void leave(const RightAnswer& right, std::uint8_t poison, std::uint64_t first, Bytes& out) {
  const auto start = static_cast<std::ptrdiff_t>(first * size_of(right.dtype));
  if (right.untouched) {
    std::copy(right.untouched->begin() + start, right.untouched->end(), out.begin() + start);
  } else {
    std::fill(out.begin() + start, out.end(), std::byte{poison});
  }
}

// An element becomes wrong by its own size, or by that of a usual one where it is smaller: about what a wrong index
// gives. It moves towards zero and beyond, so that it does not overflow; unsigned types go up where there is no room.
Why move_element(const RightAnswer& right, std::uint64_t index, Bytes& out) {
  const double value = load_element(right.dtype, right.rounded.data() + index * size_of(right.dtype));
  if (!std::isfinite(value)) {
    store_element(right.dtype, 0.0, element(right, out, index));
    return {};
  }
  double step = std::max(std::fabs(value), moments_of(right).rms);
  if (step == 0) step = 1;
  if (!is_float(right.dtype)) step = std::max(1.0, std::round(step));
  for (const double sign : {value > 0 ? -1.0 : 1.0, value > 0 ? 1.0 : -1.0}) {
    store_element(right.dtype, value + sign * step, element(right, out, index));
    // A value that the type has no room for is cut off on the way.
    const double moved = load_element(right.dtype, element(right, out, index));
    if (std::fabs(moved - value) >= step / 2) return {};
  }
  return {};
}

Why move_first(const RightAnswer& right, std::uint8_t, Bytes& out) {
  return count_of(right) == 0 ? Why("it has no elements") : move_element(right, 0, out);
}

Why move_middle(const RightAnswer& right, std::uint8_t, Bytes& out) {
  const std::uint64_t count = count_of(right);
  return count < 3 ? Why("it has fewer than three elements") : move_element(right, count / 2, out);
}

Why move_last(const RightAnswer& right, std::uint8_t, Bytes& out) {
  const std::uint64_t count = count_of(right);
  return count < 2 ? Why("it has fewer than two elements") : move_element(right, count - 1, out);
}

Why leave_last(const RightAnswer& right, std::uint8_t poison, Bytes& out) {
  const std::uint64_t count = count_of(right);
  if (count < 2) return "it has fewer than two elements";
  leave(right, poison, count - 1, out);
  return {};
}

Why take_earlier(const RightAnswer& right, std::uint8_t, Bytes& out) {
  if (right.earlier.size() != out.size()) return "its inputs are always the same";
  std::memcpy(out.data(), right.earlier.data(), out.size());
  return {};
}

Why round_through(DType narrow, const RightAnswer& right, Bytes& out) {
  if (!is_float(right.dtype) || size_of(right.dtype) <= size_of(narrow)) {
    return fmt::format("it is {}", name_of(right.dtype));
  }
  std::byte place[8];
  return each(right, out, [&](double value) {
    store_element(narrow, value, place);
    return load_element(narrow, place);
  });
}

Why transpose(const RightAnswer& right, std::uint8_t, Bytes& out) {
  const std::size_t rank = right.shape.size();
  if (rank < 2 || right.shape[rank - 1] != right.shape[rank - 2] || right.shape[rank - 1] < 2) {
    return "it is not square";
  }
  const std::uint64_t n = right.shape[rank - 1], size = size_of(right.dtype);
  for (std::uint64_t start = 0; start < count_of(right); start += n * n) {
    for (std::uint64_t row = 0; row < n; ++row) {
      for (std::uint64_t col = 0; col < n; ++col) {
        std::memcpy(element(right, out, start + row * n + col), right.rounded.data() + (start + col * n + row) * size,
                    size);
      }
    }
  }
  return {};
}

// Twice what the tolerance lets a usual element be off by. Where it gives no rtol the same is derived from what it
// gives.
std::optional<double> twice_tolerated(const RightAnswer& right) {
  const auto& tolerance = right.tolerance;
  if (tolerance.rtol.value_or(0) > 0) return 2 * *tolerance.rtol;
  if (tolerance.ulp.value_or(0) > 0 && is_float(right.dtype)) return 2 * *tolerance.ulp * epsilon_of(right.dtype);
  if (tolerance.norm.value_or(0) > 0) return 2 * *tolerance.norm;
  const double rms = moments_of(right).rms;
  if (tolerance.atol.value_or(0) > 0 && rms > 0) return 2 * *tolerance.atol / rms;
  return std::nullopt;
}

Why scale(const RightAnswer& right, std::uint8_t, Bytes& out) {
  const auto off = twice_tolerated(right);
  if (!off) return "its tolerance is exact";
  return each(right, out, [factor = 1 + *off](double value) { return value * factor; });
}

}  // namespace

std::vector<Mutant> mutants_with(const std::vector<std::string>& inputs) {
  const auto constant = [](double value) {
    return [value](const RightAnswer& right, std::uint8_t, Bytes& out) { return fill(right, value, out); };
  };
  const auto through = [](DType narrow) {
    return [narrow](const RightAnswer& right, std::uint8_t, Bytes& out) { return round_through(narrow, right, out); };
  };
  std::vector<Mutant> mutants{
      {"zeros", false, constant(0)},
      {"ones", false, constant(1)},
      {"its mean everywhere", false,
       [](const RightAnswer& right, std::uint8_t, Bytes& out) { return fill(right, moments_of(right).mean, out); }},
  };
  for (const auto& input : inputs) {
    mutants.push_back(
        {fmt::format("copy of \"{}\"", input), false,
         [input](const RightAnswer& right, std::uint8_t, Bytes& out) { return copy_of(input, right, out); }});
  }
  const std::vector<Mutant> others{
      {"NaN everywhere", false,
       [](const RightAnswer& right, std::uint8_t, Bytes& out) {
         if (!is_float(right.dtype)) return fmt::format("it is {}", name_of(right.dtype));
         return fill(right, std::numeric_limits<double>::quiet_NaN(), out);
       }},
      {"unwritten memory", true,
       [](const RightAnswer& right, std::uint8_t poison, Bytes& out) {
         leave(right, poison, 0, out);
         return Why();
       }},
      {"the answer to other inputs", false, take_earlier},
      {"first element off", false, move_first},
      {"middle element off", false, move_middle},
      {"last element off", false, move_last},
      {"last element missing", true, leave_last},
      {"rounded to f32", false, through(DType::f32)},
      {"rounded to f16", false, through(DType::f16)},
      {"rounded to bf16", false, through(DType::bf16)},
      {"transposed", false, transpose},
      {"scaled by 1 + 2 rtol", false, scale},
  };
  mutants.insert(mutants.end(), others.begin(), others.end());
  return mutants;
}

bool same_values(DType type, ByteView one, ByteView other) {
  if (one.size() != other.size()) return false;
  if (one.empty() || std::memcmp(one.data(), other.data(), one.size()) == 0) return true;
  if (!is_float(type)) return false;
  const std::size_t size = size_of(type);
  for (std::size_t at = 0; at < one.size(); at += size) {
    const double a = load_element(type, one.data() + at), b = load_element(type, other.data() + at);
    if (!(a == b) && !(std::isnan(a) && std::isnan(b))) return false;
  }
  return true;
}

Bytes rounded_to(DType type, const ElementView& reference) {
  if (reference.dtype == type) return {reference.bytes.begin(), reference.bytes.end()};
  const std::size_t wide = size_of(reference.dtype), narrow = size_of(type);
  Bytes rounded(reference.bytes.size() / wide * narrow);
  for (std::size_t i = 0; i < rounded.size() / narrow; ++i) {
    store_element(type, load_element(reference.dtype, reference.bytes.data() + i * wide), rounded.data() + i * narrow);
  }
  return rounded;
}

}  // namespace kgate::verdict
