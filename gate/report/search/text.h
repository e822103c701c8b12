#pragma once

#include <string>
#include <vector>

#include "gate/search/journal/summary.h"

namespace kgate::report {

// What a search found, for a person at a terminal, `width` columns wide: the answer first, then a table of what was
// tried, what it cost, and what to do next. `folder`: where the files are, to be typed. Foreign text is neutral.
std::string write_search_text(const search::journal::Summary& summary, int width,
                              const std::string& folder = "search");

// The answer in one sentence: whether something better was found, and whether the gate confirms it.
std::string search_headline(const search::journal::Summary& summary);
// Of each version that was better as the search measured it and that the gate did not confirm, a sentence.
std::vector<std::string> search_passed_over(const search::journal::Summary& summary);
// Why it ended.
std::string search_end(const search::journal::Summary& summary);
// The price of the search and when it is paid back.
std::vector<std::string> search_costs(const search::journal::Summary& summary);
// "-10.2 %", or nothing where it was not timed.
std::string search_time(const search::journal::Row& row);

}  // namespace kgate::report
