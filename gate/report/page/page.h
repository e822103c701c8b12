#pragma once

#include <string>
#include <vector>

#include "gate/verdict/judge.h"

namespace kgate::report {

// report.html: the evidence of a run on one page, for a phone, a desk and paper; without script and network, well
// formed as XML. `times`: the raw times as samples/ has them; none, where they are not at hand. However large the
// result, the page stays under 6 MB: what it leaves out it counts, the least needed first.
std::string write_page(const verdict::Result& result, const std::vector<verdict::CaseSamples>& times);

}  // namespace kgate::report
