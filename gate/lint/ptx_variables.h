#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kgate::lint {

// A variable in global memory that a PTX text defines, at its top or in a function.
struct PtxVariable {
  std::string name;
  std::size_t line = 0;
};
std::vector<PtxVariable> ptx_variables(std::string_view text);

}  // namespace kgate::lint
