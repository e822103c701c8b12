#pragma once

#include "runner/job.h"

namespace kgate::runner::host {

// Stages the job's files in a private folder in the repository's shape, and has the system's C++ compiler make a shared
// object of them. What the kernel's author has to answer for is in the result; throws Error(environment) where there is
// no compiler, or a broken one.
Compiled compile(const CompileJob& job);

}  // namespace kgate::runner::host
