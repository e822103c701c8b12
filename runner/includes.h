#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace kgate::runner {

// Includes by an absolute path, out of the repository, or of what a macro names, and what else asks after such files
// (__has_include, #embed, #line), as "kernels/a.cu(3): error: ..." lines; empty where there are none. What a source
// includes must be among the files that it declares: the cache of compiled code is addressed by those. `folders`: where
// the compiler looks, in its order. A scan of lines as the preprocessor sees them; macros are not expanded, and the
// defence against who means harm is the sandbox.
std::string refused_includes(const std::map<std::string, Bytes>& files, const std::vector<std::string>& folders);

}  // namespace kgate::runner
