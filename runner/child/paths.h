#pragma once

#include <vector>

#include "runner/child/landlock.h"
#include "runner/child/role.h"

namespace kgate::runner {

// Everything that a child of this role may open, and why. Nothing of it is a secret: what the system's packages
// install, what the toolkit brings, figures of the machine; of the user's own only the child's private folder.
std::vector<landlock::PathRule> paths_for(const Role& role);

}  // namespace kgate::runner
