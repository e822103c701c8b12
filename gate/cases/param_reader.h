#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/toml_reader.h"
#include "gate/cases/case_spec.h"

namespace kgate::cases {

// The interface, [[param]], and what an inout holds in every case that says nothing else (init = { constant = 1 }).
struct Interface {
  std::vector<ParamSpec> params;
  std::map<std::string, Generator> initial;  // by parameter
};

Interface read_interface(const TomlReader& root, const std::string& folder);

}  // namespace kgate::cases
