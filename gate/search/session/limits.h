#pragma once

#include <cstdint>
#include <optional>

#include "gate/search/budget.h"
#include "gate/trust/search_bounds.h"

namespace kgate::search {

// What was typed in the place of the policy's bounds.
struct Limits {
  std::optional<std::int64_t> iterations, patience, tokens;
  std::optional<double> seconds, gpu_seconds, cost_usd;
  // In a CI job the command line may come from a change: there it can only narrow what the policy allows. A person at
  // a machine may do more with it than its CI.
  bool narrow_only = true;
};

// The policy's budgets, with what was typed in their place. `model`: some proposer costs tokens and money.
Budgets budgets_of(const trust::SearchBounds& bounds, const Limits& limits, bool model);

}  // namespace kgate::search
