#pragma once

#include <string>

#include "base/dtype.h"
#include "base/toml_reader.h"
#include "gate/cases/generator.h"

namespace kgate::cases {

// { normal = [0.0, 1.0] } and its like, for a parameter of that type. Throws Error(usage, "PATH:LINE: key", ...).
Generator read_generator(const TomlReader& table, DType dtype, const std::string& folder);

}  // namespace kgate::cases
