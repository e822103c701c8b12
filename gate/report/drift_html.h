#pragma once

#include <string>

#include "gate/drift/drift.h"

namespace kgate::report {

// drift.html: what changed, since when and by what; then a plot a kernel. One file that needs neither network nor
// script, and is XML too. Foreign text is escaped, and what grows with the years is bounded.
std::string write_drift_html(const drift::Drift& drift);

}  // namespace kgate::report
