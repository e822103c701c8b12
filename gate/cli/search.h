#pragma once

#include "gate/cli/verbs.h"
#include "gate/search/session/session.h"
#include "gate/verdict/judge.h"

namespace kgate::cli {

// A search of the one kernel that `judge` selects, into the folder "search" of --out, as the command line and the
// environment have it. Throws Error(usage).
search::SessionOptions session_options(const Invocation& invocation, verdict::JudgeOptions judge);

}  // namespace kgate::cli
