#pragma once

#include <string>
#include <vector>

#include "gate/drift/drift.h"
#include "gate/report/drift_plot.h"

namespace kgate::report {

// One kernel's part of the page: its verdict, a plot for every six cases, a table of them, its changes in words.
// `marks`: of the machine's nights, for every kernel the same; the accepted versions' are added here.
std::string kernel_section(const drift::Drift& drift, const drift::Kernel& kernel, const std::string& id,
                           const DayGrid& grid, const std::vector<PlotMark>& marks);

}  // namespace kgate::report
