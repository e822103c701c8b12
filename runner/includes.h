#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace kgate::runner {

// Includes by an absolute path, out of the repository, or of what a macro names, as "kernels/a.cu(3): error: ..."
// lines; empty where there are none. What a source includes must be among the files that it declares: the cache of
// compiled code is addressed by those. A line scan, not a defence against one who means harm (a line can be spliced):
// what keeps a source from reading other files is the sandbox.
std::string refused_includes(const std::map<std::string, Bytes>& files, const std::vector<std::string>& include_dirs);

}  // namespace kgate::runner
