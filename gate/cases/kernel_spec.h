#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "gate/cases/expression.h"
#include "gate/cases/sources.h"

namespace kgate::cases {

struct LaunchSpec {
  std::string entry;  // as written: "softmax<BLOCK>"
  std::array<Expression, 3> grid, block;
  Expression shared;
  std::optional<std::array<Expression, 3>> cluster;
  bool cooperative = false;
  std::optional<std::vector<std::string>>
      arguments;      // names of parameters and workspaces; default: every parameter in order
  std::string where;  // "kernels/softmax/kernel.toml:10: launch[0]", for messages
};

struct WorkspaceSpec {
  std::string name;
  DType dtype = DType::u8;
  std::vector<Expression> shape;
  bool zeroed = false;
  std::string where;  // "kernels/softmax/kernel.toml:20: workspace[0]", for messages
};

// kernel.toml (schema kgate.kernel/1): the candidate's. Not trusted: it is what is judged.
struct KernelSpec {
  std::string path;    // "kernels/softmax/kernel.toml"
  std::string folder;  // "kernels/softmax"
  SourceSet sources;
  std::vector<LaunchSpec> launches;
  std::vector<WorkspaceSpec> workspaces;
  std::map<std::string, std::vector<std::string>> tunables;  // define -> the values a search may choose
};

// Throws Error(usage, "PATH:LINE: key", fact, remedy) for what does not hold: unknown keys (with the nearest known
// one), wrong types, no launch, options that are never allowed (-rdc), a define that is no identifier.
KernelSpec parse_kernel(std::string_view text, const std::string& path);

}  // namespace kgate::cases
