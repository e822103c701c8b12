#include "gate/verdict/check/compare.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"

// The problem: an output of a gigabyte is compared element by element, in f64, with sums for the norm and the bias, and
// must not cost more than reading it. The choice: chunks of 512 elements are converted to f64 by loops that vectorise;
// a second loop over the chunk, in eight independent lanes so that it vectorises without reordering what the language
// fixes, finds whether all are finite and pass, and adds up. Only a chunk in which something does not is looked at
// again, one element at a time, by the exact rules. Rejected: one careful loop (0.4 GB/s), -ffast-math (NaN would
// pass).
namespace kgate::verdict {
namespace {

constexpr std::size_t kChunk = 512;  // two chunks of f64 stay in the first-level cache
constexpr std::size_t kLanes = 8;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define KGATE_VECTORISED __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#define KGATE_VECTORISED
#endif

template <typename T>
KGATE_VECTORISED void widen(const std::byte* from, double* to, std::size_t count) {
  const auto* values = reinterpret_cast<const T*>(from);
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<double>(values[i]);
}

KGATE_VECTORISED void widen_bf16(const std::byte* from, double* to, std::size_t count) {
  const auto* bits = reinterpret_cast<const std::uint16_t*>(from);
  for (std::size_t i = 0; i < count; ++i)
    to[i] = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits[i]) << 16));
}

// Half precision without branches: its 15 low bits moved into an f32's place are the value times 2^-112; an exponent of
// all ones is then made an infinity or NaN again.
KGATE_VECTORISED void widen_f16(const std::byte* from, double* to, std::size_t count) {
  const auto* bits = reinterpret_cast<const std::uint16_t*>(from);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t magnitude = static_cast<std::uint32_t>(bits[i] & 0x7fff) << 13;
    const std::uint32_t special = (bits[i] & 0x7c00) == 0x7c00 ? 0x7f800000u : 0u;
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
    const std::uint32_t sign = static_cast<std::uint32_t>(bits[i] & 0x8000) << 16;
    to[i] = static_cast<double>(std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign));
  }
}

void to_double(DType type, const std::byte* from, double* to, std::size_t count) {
  switch (type) {
    case DType::f64:
      return widen<double>(from, to, count);
    case DType::f32:
      return widen<float>(from, to, count);
    case DType::f16:
      return widen_f16(from, to, count);
    case DType::bf16:
      return widen_bf16(from, to, count);
    case DType::i64:
      return widen<std::int64_t>(from, to, count);
    case DType::i32:
      return widen<std::int32_t>(from, to, count);
    case DType::i16:
      return widen<std::int16_t>(from, to, count);
    case DType::i8:
      return widen<std::int8_t>(from, to, count);
    case DType::u64:
      return widen<std::uint64_t>(from, to, count);
    case DType::u32:
      return widen<std::uint32_t>(from, to, count);
    case DType::u16:
      return widen<std::uint16_t>(from, to, count);
    case DType::u8:
    case DType::boolean:
      return widen<std::uint8_t>(from, to, count);
    case DType::f8e4m3:
    case DType::f8e5m2:
      for (std::size_t i = 0; i < count; ++i) to[i] = load_element(type, from + i);
      return;
  }
}

struct Sums {
  double max_abs = 0, max_rel = 0, difference = 0, squares = 0, reference_squares = 0;
  std::uint64_t finite = 0;
};

// 0/0 is no error of its own; the smallest normal keeps the division defined.
constexpr double kTiny = std::numeric_limits<double>::min();
double relative_error(double ref, double out) {
  return std::fabs(out - ref) / (std::fabs(ref) + kTiny);
}

// True where every element is finite and passes by atol and rtol; adds to the sums only then.
KGATE_VECTORISED bool plain_chunk(const double* ref, const double* out, std::size_t count, double atol, double rtol,
                                  Sums& sums) {
  std::array<double, kLanes> max_abs{}, max_rel{}, difference{}, squares{}, reference_squares{}, failed{};
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double r = ref[i + lane], d = out[i + lane] - r;
      const double size = std::fabs(d), reference = std::fabs(r);
      // An infinity or NaN on either side makes d an infinity or NaN, which no finite bound admits.
      failed[lane] += size <= atol + rtol * reference && size <= std::numeric_limits<double>::max() ? 0.0 : 1.0;
      const double relative = size / (reference + kTiny);
      max_rel[lane] = relative > max_rel[lane] ? relative : max_rel[lane];
      max_abs[lane] = size > max_abs[lane] ? size : max_abs[lane];
      difference[lane] += d;
      squares[lane] += d * d;
      reference_squares[lane] += r * r;
    }
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (failed[lane] != 0) return false;
  }
  if (whole != count) return false;  // the last, ragged chunk goes the careful way
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sums.max_abs = std::max(sums.max_abs, max_abs[lane]);
    sums.max_rel = std::max(sums.max_rel, max_rel[lane]);
    sums.difference += difference[lane];
    sums.squares += squares[lane];
    sums.reference_squares += reference_squares[lane];
  }
  sums.finite += count;
  return true;
}

// The order of a float's bit patterns as integers, so that neighbours differ by one; both zeros are 0.
std::int64_t ordered_bits(DType type, double value) {
  std::array<std::byte, 8> raw{};
  store_element(type, value, raw.data());
  std::uint64_t bits = 0;
  std::memcpy(&bits, raw.data(), sizeof bits);
  const unsigned width = static_cast<unsigned>(8 * size_of(type));
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

class Comparer {
 public:
  Comparer(const ElementView& expected, const ElementView& got, const cases::Tolerance& tolerance)
      : expected_(expected),
        got_(got),
        tolerance_(tolerance),
        atol_(tolerance.atol.value_or(0)),
        rtol_(tolerance.rtol.value_or(0)),
        // norm and bias judge the whole; without a rule for elements, every finite element passes.
        elementwise_(tolerance.atol || tolerance.rtol || tolerance.ulp || !(tolerance.norm || tolerance.bias)),
        exact_(!is_float(got.dtype) && expected.dtype == got.dtype),
        bitwise_(exact_ && !tolerance.norm && !tolerance.bias) {}

  void run(std::uint64_t count) {
    std::array<double, kChunk> ref, out;
    const std::size_t wide = size_of(expected_.dtype), narrow = size_of(got_.dtype);
    const double atol = elementwise_ ? atol_ : std::numeric_limits<double>::max();
    for (std::uint64_t start = 0; start < count; start += kChunk) {
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, count - start));
      if (bitwise_ &&
          std::memcmp(expected_.bytes.data() + start * wide, got_.bytes.data() + start * narrow, part * wide) == 0)
        continue;
      to_double(expected_.dtype, expected_.bytes.data() + start * wide, ref.data(), part);
      to_double(got_.dtype, got_.bytes.data() + start * narrow, out.data(), part);
      if (!exact_ && plain_chunk(ref.data(), out.data(), part, atol, rtol_, sums)) continue;
      for (std::size_t i = 0; i < part; ++i) element(start + i, ref[i], out[i]);
    }
  }

  Sums sums;
  std::uint64_t mismatched = 0;
  std::uint64_t without_size = 0;  // of these: with a NaN or an infinity on either side
  std::optional<std::uint64_t> first;
  double first_expected = 0, first_got = 0;

 private:
  void element(std::uint64_t index, double ref, double out) {
    if (!passes(index, ref, out)) {
      ++mismatched;
      if (!std::isfinite(ref) || !std::isfinite(out)) ++without_size;
      if (!first) {
        first = index;
        first_expected = ref;
        first_got = out;
      }
    }
    if (!std::isfinite(ref) || !std::isfinite(out)) return;
    const double d = out - ref, size = std::fabs(d);
    sums.max_abs = std::max(sums.max_abs, size);
    sums.max_rel = std::max(sums.max_rel, relative_error(ref, out));
    sums.difference += d;
    sums.squares += d * d;
    sums.reference_squares += ref * ref;
    ++sums.finite;
  }

  bool passes(std::uint64_t index, double ref, double out) const {
    if (std::isnan(ref) || std::isnan(out)) return tolerance_.allow_nan && std::isnan(ref) && std::isnan(out);
    if (std::isinf(ref) || std::isinf(out)) return ref == out;
    if (!elementwise_) return true;
    // 64-bit integers are not exact in f64: equal bytes, or a tolerance that says otherwise.
    const std::size_t size = size_of(got_.dtype);
    if (exact_ && std::memcmp(expected_.bytes.data() + index * size, got_.bytes.data() + index * size, size) == 0)
      return true;
    if (exact_ && atol_ == 0 && rtol_ == 0) return false;
    if (std::fabs(out - ref) <= atol_ + rtol_ * std::fabs(ref)) return true;
    if (!tolerance_.ulp || !is_float(got_.dtype)) return false;
    return ulp_steps(got_.dtype, ref, out) <= *tolerance_.ulp;
  }

  const ElementView& expected_;
  const ElementView& got_;
  const cases::Tolerance& tolerance_;
  double atol_, rtol_;
  bool elementwise_, exact_;
  bool bitwise_;  // equal bytes are right, and no sum over the reference is wanted
};

std::string place(const Shape& index) {
  return fmt::format("[{}]", fmt::join(index, ", "));
}

// Of NaN no sign is told.
std::string shown(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{:.7g}", value);
}

// "rtol 1e-05, atol 1e-07, 99 % of the elements"
std::string allowed_by(const cases::Tolerance& tolerance, bool wanted_nan) {
  std::vector<std::string> rules;
  const auto add = [&](const char* name, const std::optional<double>& bound) {
    if (bound) rules.push_back(fmt::format("{} {:.3g}", name, *bound));
  };
  add("rtol", tolerance.rtol);
  add("atol", tolerance.atol);
  add("ulp", tolerance.ulp);
  add("norm", tolerance.norm);
  add("bias", tolerance.bias);
  if (rules.empty()) rules.emplace_back("nothing");
  if (tolerance.matched < 1) rules.push_back(fmt::format("{:.6g} % of the elements", 100 * tolerance.matched));
  if (wanted_nan && !tolerance.allow_nan) rules.emplace_back("no NaN");
  return fmt::format("{}", fmt::join(rules, ", "));
}

// "2 of 4 elements differ, first at [1]: expected 2, got 2.5 (max abs 1, max rel 0.25; allowed: rtol 0.001)".
// The largest errors are of those that are numbers on both sides: where none of these is at fault they are not told.
std::string mismatch_reason(const Comparer& comparer, const Numerics& numerics, const cases::Tolerance& tolerance) {
  std::string text = fmt::format("{} of {} elements differ, first at {}: expected {}, got {} (", comparer.mismatched,
                                 numerics.elements, place(numerics.first_mismatch), shown(comparer.first_expected),
                                 shown(comparer.first_got));
  const bool all_without = comparer.without_size == comparer.mismatched;
  if (all_without) {
    text += comparer.mismatched == 1 ? "by a NaN or an infinity" : "each by a NaN or an infinity";
  } else {
    if (comparer.without_size > 0)
      text += fmt::format("{} by a NaN or an infinity, the others: ", comparer.without_size);
    text += fmt::format("max abs {:.2g}, max rel {:.2g}", numerics.max_abs, numerics.max_rel);
  }
  return text + "; allowed: " + allowed_by(tolerance, std::isnan(comparer.first_expected)) + ")";
}

}  // namespace

double ulp_steps(DType type, double ref, double out) {
  const auto one = ordered_bits(type, ref), other = ordered_bits(type, out);
  // Unsigned: between the largest f64 and its negative there are more than 2^63.
  const auto low = static_cast<std::uint64_t>(std::min(one, other)),
             high = static_cast<std::uint64_t>(std::max(one, other));
  return static_cast<double>(high - low);
}

double epsilon_of(DType type) {
  std::byte place[8];
  double step = 1;
  for (;;) {
    store_element(type, 1 + step / 2, place);
    if (load_element(type, place) == 1) return step;
    step /= 2;
  }
}

OutputFinding compare_output(const ElementView& expected, const ElementView& got, const Shape& shape,
                             const cases::Tolerance& tolerance) {
  const std::uint64_t count = element_count(shape, "an output's shape");
  if (expected.bytes.size() != count * size_of(expected.dtype) || got.bytes.size() != count * size_of(got.dtype)) {
    throw Error(ErrorKind::internal, "comparison", "an output's size does not fit its shape");
  }
  Comparer comparer(expected, got, tolerance);
  comparer.run(count);

  OutputFinding finding;
  Numerics& numerics = finding.numerics;
  const Sums& sums = comparer.sums;
  const auto finite = static_cast<double>(std::max<std::uint64_t>(1, sums.finite));
  const double reference_rms = std::sqrt(sums.reference_squares / finite);
  const double scale = reference_rms > 0 ? reference_rms : 1;
  if (sums.finite == count) finding.reference_rms = reference_rms;
  numerics.elements = static_cast<std::int64_t>(count);
  numerics.max_abs = sums.max_abs;
  numerics.max_rel = std::min(sums.max_rel, 1e300);
  numerics.rms = std::min(std::sqrt(sums.squares / finite), 1e300);
  numerics.bias = std::clamp(sums.difference / finite / scale, -1e300, 1e300);
  numerics.mismatched = static_cast<std::int64_t>(comparer.mismatched);
  if (comparer.first) {
    numerics.first_mismatch = unravel(*comparer.first, shape);
    numerics.first_expected = comparer.first_expected;
    numerics.first_got = comparer.first_got;
  }

  const auto allowed = static_cast<double>(count) * (1 - tolerance.matched);
  if (!(static_cast<double>(comparer.mismatched) <= allowed)) {
    finding.reason = mismatch_reason(comparer, numerics, tolerance);
    return finding;
  }
  // A reference whose squares overflow has no norm to hold the error against.
  const double norm = !std::isfinite(reference_rms) ? HUGE_VAL
                      : reference_rms > 0           ? numerics.rms / reference_rms
                                                    : (numerics.rms > 0 ? HUGE_VAL : 0);
  if (tolerance.norm && !(norm <= *tolerance.norm)) {
    finding.reason =
        fmt::format("the norm of the error is {:.3g} of the reference's, {:.3g} is allowed", norm, *tolerance.norm);
    return finding;
  }
  if (tolerance.bias && !(std::fabs(numerics.bias) <= *tolerance.bias)) {
    finding.reason = fmt::format("the mean error is {:+.3g} of the reference's rms, {:.3g} is allowed", numerics.bias,
                                 *tolerance.bias);
    return finding;
  }
  finding.right = true;
  return finding;
}

std::string rounding_hint(const OutputFinding& finding, DType type) {
  constexpr double kFew = 8;
  const double step = is_float(type) ? epsilon_of(type) * finding.reference_rms : 0;
  const double error = finding.numerics.max_abs;
  if (finding.right || !(error > 0) || !(error <= kFew * step)) return {};
  return fmt::format(
      "; no error is above {:.2g} ulp of the output's rms: where terms cancel, give atol too "
      "(docs/cases-toml.md, \"Tolerances\")",
      error / step);
}

}  // namespace kgate::verdict
