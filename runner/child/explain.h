#pragma once

#include "runner/child/options.h"

namespace kgate::runner {

// For people who look for what a sandbox breaks: prints what a child of this role may open and use, then starts the
// backend under the sandbox and prints each access that it refuses, as it comes. Needs neither root nor strace, but
// Linux 5.6. The exit code of kgate-runner.
int explain_sandbox(const ChildOptions& options);

}  // namespace kgate::runner
