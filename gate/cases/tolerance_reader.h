#pragma once

#include "base/toml_reader.h"
#include "gate/cases/case_spec.h"

namespace kgate::cases {

// Fills one.tolerances for every output. `tolerance` names outputs, or, in its short form { rtol = 1e-5 }, stands for
// every float output. Throws Error(usage, one.where, "tolerance for \"y\" is missing", ...) for a float output without
// one.
void read_tolerances(const TomlReader& table, const std::vector<ParamSpec>& params, CaseSpec& one);

}  // namespace kgate::cases
