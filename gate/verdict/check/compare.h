#pragma once

#include <string>

#include "base/bytes.h"
#include "base/tensor.h"
#include "gate/cases/case_spec.h"
#include "gate/verdict/result/result.h"

namespace kgate::verdict {

struct ElementView {
  DType dtype = DType::f32;
  ByteView bytes;  // dense, C order
};

struct OutputFinding {
  bool right = false;
  Numerics numerics;
  double reference_rms = 0;  // where every element is finite on both sides
  std::string reason;  // empty when right: "12 of 1147 elements differ, first at [3, 17]: expected 0.0123, got 0.0456
                       // (max abs 0.033, max rel 2.7; allowed: rtol 1e-05)"
};

// Compares one output with what is expected, by "Tolerances" of docs/cases-toml.md: an element passes by |out - ref| <=
// atol + rtol |ref| or within `ulp` steps of the output's type; NaN only where the reference is NaN and allow_nan is
// set; an infinity only where the reference has the same. All comparisons are written so that a NaN fails them. The
// reference may have a wider type. Reads both once, allocates nothing that grows with them; 2 GB/s of output a core and
// better for f32 and f64 (docs/measurements.md). Throws Error(internal) where the sizes do not fit the shape.
OutputFinding compare_output(const ElementView& expected, const ElementView& got, const Shape& shape,
                             const cases::Tolerance& tolerance);

// What a wrong output's reason adds where rounding alone explains it: its largest error is a few steps of the type at
// the size that the output's elements usually have. Empty where it is not so.
std::string rounding_hint(const OutputFinding& finding, DType type);

// The distance from 1 to the next value of a float type.
double epsilon_of(DType type);

// How many steps of a float type lie between two values that were rounded to it; both zeros are one.
double ulp_steps(DType type, double ref, double out);

}  // namespace kgate::verdict
