#pragma once

#include <string>
#include <vector>

#include "base/file_tree.h"
#include "gate/cases/case_spec.h"

namespace kgate::cases {

std::vector<std::string> files_of(const CasesSpec& cases, const FileTree& tree);

}  // namespace kgate::cases
