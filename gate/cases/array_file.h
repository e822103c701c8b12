#pragma once

#include "base/file_tree.h"
#include "base/tensor.h"
#include "gate/cases/generator.h"

namespace kgate::cases {

// The tensor of a generator of the kind file or safetensors. bf16 and f8 may come from .npy as their raw bits (u16,
// u8). Throws Error(usage, generator.where, ...) where the file is missing or is not of that type and shape.
Tensor read_array(const Generator& generator, DType dtype, const Shape& shape, const FileTree& tree);

}  // namespace kgate::cases
