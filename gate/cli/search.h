#pragma once

#include "gate/cli/verbs.h"
#include "gate/search/session/session.h"
#include "gate/verdict/judge.h"

namespace kgate::cli {

// A search of the one kernel that `judge` selects, into the folder "search" of --out, as the command line and the
// environment have it. Throws Error(usage).
search::SessionOptions session_options(const Invocation& invocation, verdict::JudgeOptions judge);

// Where the policy wants it and a kernel regressed: a search for a better version of the worst one, within the policy's
// bounds. What it found is told in the result's `searches`, and changes no verdict; what goes wrong is a warning.
// Throws Error(interrupted) alone.
void search_what_regressed(const Invocation& invocation, verdict::JudgeOptions judge, verdict::Progress& progress,
                           verdict::Judgement& judgement);

}  // namespace kgate::cli
