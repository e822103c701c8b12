#pragma once

#include <string>

#include "gate/search/journal/summary.h"

namespace kgate::report {

// search/report.html: the answer, how the best came about, times by case, which version was made from which, what each
// proposal was, and what it all cost. One file that needs neither network nor script, and is XML too. Foreign text is
// escaped; what grows with the search is bounded, and what is left out is counted.
std::string write_search_page(const search::journal::Summary& summary);

}  // namespace kgate::report
