#include "gate/verdict/qualify/self_check.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gate/verdict/qualify/mutants.h"
#include "gate/verdict/check/worker.h"

namespace kgate::verdict {
namespace {

std::uint64_t flat_index(const std::vector<std::uint64_t>& index, const Shape& shape) {
  std::uint64_t flat = 0;
  for (std::size_t i = 0; i < index.size(); ++i) flat = flat * shape[i] + index[i];
  return flat;
}

bool is_poison(const ElementView& answer, std::uint64_t flat, std::uint8_t poison) {
  const std::size_t size = size_of(answer.dtype);
  const auto element = answer.bytes.subspan(flat * size, size);
  return std::all_of(element.begin(), element.end(), [poison](std::byte value) { return value == std::byte{poison}; });
}

}  // namespace

std::string self_check_fault(const SelfCheck& check, const cases::Tolerance& tolerance) {
  const Bytes rounded = rounded_to(check.dtype, check.second);
  const auto finding = compare_output(check.first, {check.dtype, rounded}, check.shape, halved(tolerance));
  if (finding.right) return {};
  const auto& numerics = finding.numerics;
  const std::string whose =
      fmt::format("{} \"{}\"", check.from_file ? "the expected" : "the reference's", check.output);
  if (numerics.mismatched > 0) {
    const std::uint64_t flat = flat_index(numerics.first_mismatch, check.shape);
    const std::string place = fmt::format("[{}]", fmt::join(numerics.first_mismatch, ", "));
    if (!check.from_file && is_poison(check.first, flat, kPoison[0]) && is_poison(check.second, flat, kPoison[1])) {
      return fmt::format("the reference does not write all of \"{}\": {} is what was there before", check.output,
                         place);
    }
    if (std::isnan(numerics.first_expected) && std::isnan(numerics.first_got)) {
      return fmt::format("{} is NaN at {}; if that is right, say allow_nan = true", whose, place);
    }
  }
  if (same_values(check.first.dtype, check.first.bytes, check.second.bytes)) {
    return fmt::format("{}, rounded to {}, does not pass with half the tolerance: {}", whose, name_of(check.dtype),
                       finding.reason);
  }
  return fmt::format("{} does not pass twice on the same inputs with half the tolerance: {}", whose, finding.reason);
}

cases::Tolerance halved(cases::Tolerance tolerance) {
  for (auto* bound : {&tolerance.rtol, &tolerance.atol, &tolerance.ulp, &tolerance.norm, &tolerance.bias}) {
    if (*bound) **bound /= 2;
  }
  tolerance.matched = 1 - (1 - tolerance.matched) / 2;
  return tolerance;
}

}  // namespace kgate::verdict
