#include "gate/search/evaluate/bottleneck.h"

#include <utility>

#include "gate/search/evaluate/common_briefing.h"

namespace kgate::search {

Bottleneck bottleneck_of(GateEvaluator& evaluator, const Evaluation& best, const Candidate& version) {
  Counted counted = evaluator.count(version);
  if (!counted.text.empty()) return {std::move(counted.text), counted.gpu_s};
  return {bottleneck_on_paper(evaluator, best, version, counted.why_not), counted.gpu_s};
}

}  // namespace kgate::search
