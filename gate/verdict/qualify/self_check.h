#pragma once

#include <string>

#include "gate/verdict/check/compare.h"

namespace kgate::verdict {

// One output of the reference, twice on the same inputs and differently poisoned memory; or the same expected file
// twice.
struct SelfCheck {
  std::string output;
  DType dtype = DType::f32;  // the parameter's; the answers may be wider
  Shape shape;
  ElementView first, second;
  bool from_file = false;
};

// Why the reference is no measure for others: the second answer, rounded to the parameter's type, does not pass for the
// first with half the tolerance. Half, so that as much is left for what another way of computing does. Empty where it
// passes.
std::string self_check_fault(const SelfCheck& check, const cases::Tolerance& tolerance);

// Every bound halved, and the share of elements that may fail too.
cases::Tolerance halved(cases::Tolerance tolerance);

}  // namespace kgate::verdict
