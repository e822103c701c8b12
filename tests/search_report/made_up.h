#pragma once

#include "gate/search/journal/summary.h"

namespace made_up {

// Nine versions by two proposers: a winner that the gate confirms, a repair, a trial in parts, a refusal, a cheat.
kgate::search::journal::Summary a_search();
// Nothing but the baseline, and interrupted.
kgate::search::journal::Summary begun();
// As many versions and cases as a long search has.
kgate::search::journal::Summary long_search(std::size_t versions, std::size_t cases);

}  // namespace made_up
