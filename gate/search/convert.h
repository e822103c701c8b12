#pragma once

#include <string>

#include "gate/search/budget.h"
#include "gate/search/evaluator.h"
#include "gate/search/journal/entry.h"
#include "gate/search/propose/proposal.h"

// Between the loop's types and the journal's.
namespace kgate::search {

journal::Bounds bounds_of(const Budgets& budgets);

// What a proposer said is not trusted: text that is not UTF-8 is mended, what is too much is left out, and `fault` says
// so; what it says to have cost counts where it is a number.
journal::Proposed line_of(const Proposal& proposal);
journal::Usage line_of(const Usage& usage);
Proposal proposal_of(const journal::Proposed& line);

// Texts are mended and cut. Throws Error(internal) for figures that are none.
journal::Judged line_of(const Evaluation& evaluation);
Evaluation evaluation_of(const journal::Judged& line);

// Fit for a line of the journal: UTF-8, at most this long.
std::string mended(const std::string& text, std::size_t most_bytes);

}  // namespace kgate::search
