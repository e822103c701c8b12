#include "runner/child/sandbox.h"

#include <fmt/format.h>

#include "base/process.h"
#include "runner/child/landlock.h"
#include "runner/child/limits.h"
#include "runner/child/paths.h"
#include "runner/child/privileges.h"
#include "runner/child/sanitized.h"

// Whoever wrote the kernel wrote what this process will run (host backend), or what its compiler or driver will read.
// Three locks that need no privilege and no helper program, so that they hold in any CI container: capabilities and
// limits, Landlock, seccomp. Rejected: namespaces and a new root (user namespaces are off on many machines, and inside
// most containers), a setuid helper (one more program to trust), a virtual machine (no GPU in it without its owner's
// help). Where the whole job runs in one of those, this sandbox is inside it.
//
// The order matters: limits while /proc can be read, capabilities before the rest (dropping them needs one), Landlock
// before seccomp, whose filter may not know its calls.
namespace kgate::runner {
namespace {

void say(SandboxReport& report, const std::string& what) {
  if (!report.note.empty()) report.note += "; ";
  report.note += what;
}

}  // namespace

Sandbox enter_sandbox(const Role& role, SandboxLevel most, Refusal refusal) {
  Sandbox sandbox;
  if (most == SandboxLevel::none) {
    say(sandbox.report, "none was asked for (--sandbox none)");
    return sandbox;
  }
  volunteer_for_oom();
  sandbox.limits = limits_for(role);
  const std::string unlimited = apply_limits(sandbox.limits);
  const std::vector<landlock::PathRule> paths = paths_for(role);
  const std::string privileged = drop_privileges(role.keeps_counters());
  // Its observer looks at it by /proc.
  if (refusal == Refusal::error && !role.relaxed_for_observer()) hide_this_process();

  landlock::Restriction restriction;
  if (role.relaxed_for_observer()) {
    say(sandbox.report, fmt::format("{}, which works in this process, opens files and a socket of its own",
                                    role.counted ? "Nsight Compute" : "compute-sanitizer"));
  } else if (most == SandboxLevel::landlock) {
    restriction = landlock::restrict_self(paths);
    if (restriction.abi == 0) say(sandbox.report, restriction.why_not);
  } else {
    say(sandbox.report, "no more was asked for");
  }
  sandbox.report.landlock_abi = restriction.abi;
  sandbox.pinned = std::move(restriction.pinned);

  Filtered filtered = filter_system_calls(role, refusal);
  sandbox.listener = std::move(filtered.listener);
  for (const std::string& failure : {unlimited, privileged, filtered.why_not}) {
    if (!failure.empty()) say(sandbox.report, failure);
  }
  if (unlimited.empty() && privileged.empty() && filtered.why_not.empty())
    sandbox.report.level = restriction.abi > 0 ? SandboxLevel::landlock : SandboxLevel::seccomp;
  if (kSanitizer != nullptr) {
    sandbox.report.relaxed = fmt::format(
        "built with {}: it may trace itself and start processes, read its own /proc and the libraries, and its memory "
        "has no limit",
        kSanitizer);
  }
  return sandbox;
}

}  // namespace kgate::runner
