#pragma once

#include "base/dtype.h"
#include "gate/cases/generator.h"

namespace kgate::cases {

// What holds or does not whatever the seed: the numbers make sense, and every value that can come of them fits the
// type. Throws Error(usage, generator.where, ...). What depends on the number of elements (arange, permutation) is
// `generate`'s to check.
void check_generator(const Generator& generator, DType dtype);

}  // namespace kgate::cases
