#pragma once

#include <string>

#include "gate/search/journal/summary.h"

// The drawings and tables of search/report.html. Each is markup; they refer to the shapes and to the page's style.
namespace kgate::report {

// Time over the baseline's, by proposal, with intervals; the best so far as a line; what failed below the axis.
std::string search_progress(const search::journal::Summary& summary);
// Times by version and case, each with its change against the baseline; shaded, and told by number.
std::string search_heat_map(const search::journal::Summary& summary);
// Which version was made from which.
std::string search_tree(const search::journal::Summary& summary);
// By proposer, and together.
std::string search_cost_sheet(const search::journal::Summary& summary);

// What a step did in three letters or so for a plot: the shape that stands for an outcome.
std::string search_shape(const std::string& outcome);
std::string search_key(const std::string& outcome);
// All shapes, once a page.
std::string search_shapes();

}  // namespace kgate::report
