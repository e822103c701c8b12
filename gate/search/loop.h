#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gate/search/budget.h"
#include "gate/search/evaluator.h"
#include "gate/search/history.h"
#include "gate/search/journal/journal.h"
#include "gate/search/propose/proposer.h"

namespace kgate::search {

struct LoopOptions {
  Budgets budgets;
  double zone = 0.02;  // no case of a new best is slower than the baseline's by more
  Briefing briefing;   // what is the same for every asking: kernel, contract, cases, hardware, rules
  // Of the best version, for the briefing; asked once for each new best. May be empty.
  std::function<std::string(const Candidate& best)> bottleneck;
  std::function<double()> clock;      // seconds, from any beginning; never goes back
  std::function<std::string()> time;  // UTC, for the journal
  std::function<void()> check;        // between steps: throws Error(interrupted). May be empty
  std::function<void(const History&, const journal::Line&)> told;  // each line once it is written. May be empty
};

// The bounded search (docs/search.md): goes on where the journal ends, until a budget, patience or the hardware's floor
// ends it. Afterwards stopped() says why. Branches from the best. Proposers are asked in their order, each until it has
// nothing more. Nothing is ever written but the journal. Throws Error for failures of the world: what was proposed is
// in the journal, and another call goes on.
History run_search(journal::Journal& journal, const Candidate& baseline, const std::vector<Proposer*>& proposers,
                   Evaluator& evaluator, const LoopOptions& options);

// What a journal says, without going on with it: for a summary of an interrupted search, and for its replay.
History replay(const journal::Recorded& recorded, const Candidate& baseline, const Budgets& budgets);

}  // namespace kgate::search
