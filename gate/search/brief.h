#pragma once

#include "gate/search/history.h"
#include "gate/search/propose/briefing.h"

namespace kgate::search {

// What a proposer is told now. `common`: what is the same for every asking. `seconds`: that the search has taken.
Briefing brief(const History& history, const Briefing& common, double seconds);

}  // namespace kgate::search
