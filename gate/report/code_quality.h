#pragma once

#include <string>

#include "gate/verdict/result/result.h"

namespace kgate::report {

// codequality.json, as GitLab's merge requests show it beside the lines of a change: an entry a finding, with a
// fingerprint that is the same as long as kernel, case and kind of finding are.
std::string write_code_quality(const verdict::Result& result);

}  // namespace kgate::report
