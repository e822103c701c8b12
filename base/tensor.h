#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/dtype.h"

namespace kgate {

using Shape = std::vector<std::uint64_t>;  // C order: the last index runs fastest; empty is a single element

// Throws Error(usage, subject, ...) where the product overflows 2^53.
std::uint64_t element_count(const Shape& shape, const std::string& subject);

// A dense array in C order, little-endian.
struct Tensor {
  DType dtype = DType::f32;
  Shape shape;
  Bytes data;
};

// The index of element `flat`, one number a dimension.
Shape unravel(std::uint64_t flat, const Shape& shape);

}  // namespace kgate
