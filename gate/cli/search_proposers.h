#pragma once

#include <memory>
#include <vector>

#include "gate/cli/verbs.h"
#include "gate/search/journal/entry.h"
#include "gate/search/propose/proposer.h"
#include "gate/trust/authority.h"

namespace kgate::cli {

// Who proposes in a search, in the policy's order or --proposer's; `header` gets their names and prompts' digests. The
// key for `http` is KGATE_SEARCH_KEY of this process's environment, and goes nowhere else. Throws Error(usage) for one
// that cannot be used, and for a prompt that the policy names and its commit does not have.
std::vector<std::unique_ptr<search::Proposer>> make_proposers(const Invocation& invocation,
                                                              const trust::Authority& authority, std::uint64_t seed,
                                                              search::journal::Header& header);

}  // namespace kgate::cli
