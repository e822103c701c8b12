#pragma once

#include <string>

#include "gate/search/evaluate/gate_evaluator.h"
#include "gate/search/history.h"
#include "gate/search/propose/briefing.h"

namespace kgate::search {

// What every proposer is told of the kernel, its cases (never the held-out ones), the device and the policy's rules;
// the loop adds what changes from asking to asking.
Briefing common_briefing(const GateEvaluator& evaluator);

// What the best version waits for, in a sentence or two, as far as times, resources and the work that cases.toml tells
// say it: no hardware counter is read. Thresholds: a case that moves its bytes at 60 % of the device's peak bandwidth,
// or more, is bound by that; see docs/search.md. `why_not`: a clause that says why no counter was read; may be empty.
std::string bottleneck_on_paper(const GateEvaluator& evaluator, const Evaluation& best, const Candidate& version,
                                const std::string& why_not = {});

}  // namespace kgate::search
