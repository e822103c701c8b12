#include "gate/search/session/limits.h"

#include <algorithm>

namespace kgate::search {
namespace {

template <typename Value>
void set(Value& bound, const std::optional<Value>& typed, bool narrow_only) {
  if (typed) bound = narrow_only ? std::min(bound, *typed) : *typed;
}

}  // namespace

Budgets budgets_of(const trust::SearchBounds& bounds, const Limits& limits, bool model) {
  Budgets budgets;
  budgets.iterations = bounds.iterations;
  budgets.tokens = bounds.tokens;
  budgets.cost_usd = bounds.cost_usd;
  budgets.repairs = bounds.repairs;
  budgets.failures_in_a_direction = bounds.failures_in_a_direction;
  budgets.model = model;
  // Who types a number of steps and nothing of time wants them done, within what a search takes by default.
  const bool by_default = limits.iterations && !limits.narrow_only;
  const auto seconds = [&](std::int64_t said, double otherwise) {
    return said == 0 && by_default ? otherwise : static_cast<double>(said);
  };
  budgets.seconds = seconds(bounds.seconds, budgets.seconds);
  budgets.gpu_seconds = seconds(bounds.gpu_seconds, budgets.gpu_seconds);
  set(budgets.iterations, limits.iterations, limits.narrow_only);
  set(budgets.seconds, limits.seconds, limits.narrow_only);
  set(budgets.gpu_seconds, limits.gpu_seconds, limits.narrow_only);
  set(budgets.tokens, limits.tokens, limits.narrow_only);
  set(budgets.cost_usd, limits.cost_usd, limits.narrow_only);
  budgets.patience = bounds.patience;
  // 0 rounds of patience are endless ones: nothing narrower than any other number.
  if (limits.patience && (!limits.narrow_only || *limits.patience != 0))
    set(budgets.patience, limits.patience, limits.narrow_only);
  return budgets;
}

}  // namespace kgate::search
