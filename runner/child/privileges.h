#pragma once

#include <string>

namespace kgate::runner {

// Gives up every capability for good (all five sets), and the means to get one back (no_new_privs). Root without
// capabilities is a user like others, who owns much. Answers with what could not be given up; empty: all of it was.
std::string drop_privileges();

// Where memory runs out, the kernel ends this process rather than the judge or the user's others.
void volunteer_for_oom();

}  // namespace kgate::runner
