#pragma once

#include <string>

#include "gate/search/evaluate/gate_evaluator.h"

namespace kgate::search {

struct Bottleneck {
  std::string text;  // for Briefing::bottleneck
  double gpu_s = 0;  // that reading counters took; the next evaluation's cost has it
};

// What the best version waits for: by the GPU's performance counters where they can be read, else on paper
// (common_briefing.h), with the reason why they were not. For LoopOptions::bottleneck, between two evaluations.
Bottleneck bottleneck_of(GateEvaluator& evaluator, const Evaluation& best, const Candidate& version);

}  // namespace kgate::search
