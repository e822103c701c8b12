#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/tensor.h"
#include "gate/cases/case_spec.h"
#include "gate/verdict/check/compare.h"

// Wrong answers of the kinds that kernels give, made from the right one: cases that let one pass cannot tell right from
// wrong (docs/qualification.md). Pure functions.
namespace kgate::verdict {

// What is right for one output on one set of inputs, and what surrounds it.
struct RightAnswer {
  DType dtype = DType::f32;  // the parameter's
  Shape shape;
  ElementView reference;  // what outputs are compared with; it may be wider
  ByteView rounded;       // the same in the parameter's type
  cases::Tolerance tolerance;
  // What the output holds where a kernel writes nothing: an inout's content, or zeros; nothing: the poison.
  std::optional<Bytes> untouched;
  ByteView earlier;                           // the right answer on other inputs; empty: there is none
  std::map<std::string, ElementView> inputs;  // those that have as many elements
};

struct Mutant {
  std::string name;        // "zeros", "copy of \"x\""
  bool by_poison = false;  // two runs on differently poisoned outputs give different answers
  // Turns `out`, which holds the right answer, into the wrong one. Returns why there is no such answer here ("it is not
  // square"), or nothing.
  std::function<std::string(const RightAnswer& right, std::uint8_t poison, Bytes& out)> mutate;
};

// Every kind, with a copy of each of the inputs by its name.
std::vector<Mutant> mutants_with(const std::vector<std::string>& inputs);

// Whether every element has the same value: NaNs are equal, and so are both zeros.
bool same_values(DType type, ByteView one, ByteView other);

// The reference's answer in the parameter's type.
Bytes rounded_to(DType type, const ElementView& reference);

}  // namespace kgate::verdict
