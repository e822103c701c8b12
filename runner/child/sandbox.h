#pragma once

#include <vector>

#include "base/unique_fd.h"
#include "runner/child/limits.h"
#include "runner/child/role.h"
#include "runner/child/seccomp_filter.h"
#include "runner/sandbox.h"

namespace kgate::runner {

struct Sandbox {
  SandboxReport report;
  std::vector<Limit> limits;     // that were put on the process
  std::vector<UniqueFd> pinned;  // to be kept open as long as the process lives
  UniqueFd listener;             // Refusal::ask
};

// Puts this process, and all that it will start, under the strongest sandbox that `most` and the machine allow. Before
// any job is read, and before any thread is started: Landlock holds for the calling thread and its offspring alone.
// Never silent: what could not be done makes the level lower and is in the report's note.
Sandbox enter_sandbox(const Role& role, SandboxLevel most, Refusal refusal = Refusal::error);

}  // namespace kgate::runner
