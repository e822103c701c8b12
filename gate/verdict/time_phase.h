#pragma once

#include "gate/verdict/explanation.h"
#include "gate/verdict/run_state.h"

namespace kgate::verdict {

// Times what has other machine code than the base and is right so far. What needs no explanation is finished.
void time_kernels(RunState& state, const Explanation& explanation);

// Afterwards, when nothing is timed side by side any more: why what got slower did.
void explain_kernels(RunState& state, const Explanation& explanation);

}  // namespace kgate::verdict
