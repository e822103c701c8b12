#pragma once

#include <string>

#include "gate/search/propose/briefing.h"
#include "gate/search/propose/proposal.h"

namespace kgate::search {

// Whether a proposal can be carried out as far as the briefing shows: the parent is known, paths stay in the
// repository, edits to the best version find their place exactly once, parameters are tunables and have one of their
// values. Throws Error(usage, "SUBJECT: parts[0].edits[1].find", fact, remedy), in words that can be told to a model.
void check_fit(const Proposal& proposal, const Briefing& briefing, const std::string& subject);

}  // namespace kgate::search
