#pragma once

#include <string>
#include <vector>

#include "runner/child/role.h"
#include "runner/child/serve.h"

namespace kgate::runner {

// The child's command line.
struct ChildOptions {
  enum class Action { serve, probe, explain, sweep, help } action = Action::serve;
  Role role;
  SandboxLevel most = SandboxLevel::landlock;
  ServeOptions serve;
  std::string folder;  // to sweep
};

// Without arguments, which kgate never leaves out, it is help. Throws Error(usage).
ChildOptions parse_child_options(const std::vector<std::string>& arguments);

}  // namespace kgate::runner
