#pragma once

#include <optional>
#include <string>

#include "base/tensor.h"
#include "gate/cases/case_spec.h"
#include "gate/verdict/check/compare.h"

// What a tolerance would have to be for a wrong answer to fail by it. Pure functions.
namespace kgate::verdict {

// Each alone, with the rest of the tolerance as it is: any bound below the number, and any `matched` above it, stops
// the answer. Nothing: that key alone cannot, or the tolerance does not give it.
struct Remedies {
  std::optional<double> rtol, atol, ulp, norm, bias, matched;
  std::optional<double> bounds;  // rtol, atol and ulp together, as a factor on each
  std::optional<double> strict;  // the same, with matched = 1
};

// For an answer that passes by `tolerance` and is not equal to the expected one.
Remedies remedies_for(const ElementView& expected, const ElementView& got, const cases::Tolerance& tolerance);

// What stops both answers.
Remedies common_to(const Remedies& one, const Remedies& other);

struct Remedy {
  std::string words;  // "rtol below 3.1e-4 would stop it"
  double ease = 0;    // the new bound over the old: the larger, the less has to be given up
};
Remedy easiest_of(const Remedies& remedies, const cases::Tolerance& tolerance);

}  // namespace kgate::verdict
