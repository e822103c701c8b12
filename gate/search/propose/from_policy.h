#pragma once

#include <map>
#include <string>

#include "gate/search/propose/command_proposer.h"
#include "gate/search/propose/http_proposer.h"
#include "gate/trust/search_bounds.h"

namespace kgate::search {

// What the policy's [search] says of the proposers; key, proxy, certificates, interrupt, jitter's seed and folder are
// the caller's to fill in. `prompts` are the files that [search.roles] names, by that name, read from where the policy
// is from. Throws Error(missing) for one that is not among them.
HttpOptions http_options(const trust::SearchBounds& bounds, const std::map<std::string, std::string>& prompts);
// `environment`: all of the judge's.
CommandOptions command_options(const trust::SearchBounds& bounds,
                               const std::map<std::string, std::string>& environment);

}  // namespace kgate::search
