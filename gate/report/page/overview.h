#pragma once

#include <string>
#include <vector>

#include "gate/report/page/measured.h"

namespace kgate::report {

// All cases of a run on one axis, the worst first: a row each, as a chart that is its own table. Of many the first; the
// others as what they are together. `total`: cases of the result.
std::string overview_of(const std::vector<Row>& rows, std::size_t total);

}  // namespace kgate::report
