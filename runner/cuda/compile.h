#pragma once

#include "runner/job.h"

namespace kgate::runner::cuda {

// CUDA C++ to a cubin with NVRTC. Needs no device and no driver.
//
// Deterministic: equal files, options and toolkit give equal bytes, whatever the folder (the program's name is fixed,
// because variables of internal linkage are named after it; files are staged with #line, because __FILE__ would hold
// the folder). Throws Error(environment) for a missing or defective NVRTC, or an architecture that it does not know;
// Error(usage) for a malformed one.
Compiled compile(const CompileJob& job);

}  // namespace kgate::runner::cuda
