#pragma once

#include <string>

#include "base/tensor.h"

namespace kgate {

// NumPy's array file (NEP 1; versions 1.0, 2.0 and 3.0 of the format). Reads every type that cases.toml knows and NumPy
// has (bf16 and f8 come as u2 and u1 bits: the caller reinterprets them), C and Fortran order (returned in C order).
// Throws Error(usage, subject, ...) for big-endian data, other types, truncation, trailing bytes, a shape that
// overflows.
Tensor read_npy(ByteView file, const std::string& subject);
// Version 1.0, C order. bf16 and f8 are written as their raw bits (<u2, |u1).
Bytes write_npy(const Tensor& tensor);

}  // namespace kgate
