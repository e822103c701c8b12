#pragma once

#include "gate/verdict/run_state.h"

namespace kgate::verdict {

// The candidates' correctness cases once more, under compute-sanitizer.
void sanitize_kernels(RunState& state);

}  // namespace kgate::verdict
