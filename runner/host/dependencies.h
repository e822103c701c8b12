#pragma once

#include <string>
#include <string_view>

#include "runner/job.h"

namespace kgate::runner::host {

inline constexpr const char* kDependencies = ".kgate-dependencies";  // what the compiler opened, by its own word

// What the compiler read besides declared files, kgate's own headers and the system's, as "error: ..." lines; empty
// where there is none. `makefile`: as -MD writes it.
std::string undeclared(const CompileJob& job, std::string_view makefile);

}  // namespace kgate::runner::host
