#pragma once

#include <cstdint>
#include <string>

#include "gate/verdict/result/result.h"

namespace kgate::report {

// Where a reader of code should look: beneath the repository, never outside of it.
struct Place {
  std::string file;  // empty: nowhere
  std::int64_t line = 1;
};

// Of a kernel that does not compile the compiler's first error, of one that the sanitizer found something in that; else
// its first entry, else its kernel.toml.
Place place_of(const verdict::KernelResult& kernel);
Place place_of(const verdict::KernelResult& kernel, const verdict::Result& result);
// "kernels/softmax/softmax.cu:12".
Place place_from(const std::string& words);

}  // namespace kgate::report
