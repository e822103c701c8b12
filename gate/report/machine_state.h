#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "gate/verdict/result/result.h"

namespace kgate::report {

// The machine's state during the run, in a line; what was not seen or did not happen is left out.
std::string state_of(const Json& environment);
// Of a run on several GPUs, a line for each: "GPU-1a2b...: 12 kernels in 11.2 s, waited 3.0 s"; else none.
std::vector<std::string> device_lines(const verdict::Result& result);
// Any value of it in a few words.
std::string compact(const Json& json);

}  // namespace kgate::report
