#pragma once

#include <string>

#include "gate/drift/drift.h"
#include "gate/report/report.h"

namespace kgate::report {

// What `kgate drift` says to a person: what blocks, the events newest first, a table of kernels and cases against what
// was accepted and the last release, what was appended and what is missing.
std::string write_drift(const drift::Drift& drift, const TextStyle& style);

}  // namespace kgate::report
