#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gate/report/report.h"

namespace kgate::report {

// One row a case that was timed or that has something to say; cases that merely passed share a row. Kernels whose
// machine code is that of the base, or of what was accepted, share one line beneath. Columns that do not fit into the
// style's width are left out, the least needed first. Empty where no kernel has a row.
std::string write_table(const verdict::Result& result, const TextStyle& style);

// True where there is nothing to say about a kernel but that its machine code is not new, and right.
bool is_plainly_unchanged(const verdict::KernelResult& kernel);

}  // namespace kgate::report
