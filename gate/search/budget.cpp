#include "gate/search/budget.h"

#include <fmt/format.h>

namespace kgate::search {

std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::no_search:
      return "no_search";
    case StopReason::baseline:
      return "baseline";
    case StopReason::iterations:
      return "iterations";
    case StopReason::seconds:
      return "seconds";
    case StopReason::gpu_seconds:
      return "gpu_seconds";
    case StopReason::tokens:
      return "tokens";
    case StopReason::cost:
      return "cost_usd";
    case StopReason::patience:
      return "patience";
    case StopReason::floor:
      return "floor";
    case StopReason::proposers:
      return "proposers";
    case StopReason::unanswered:
      return "unanswered";
    case StopReason::environment:
      return "environment";
  }
  return "no_search";
}

std::optional<Stop> forbids(const Budgets& budgets) {
  const auto none = [](const char* key, const char* who) {
    return Stop{StopReason::no_search, fmt::format("[search] {} is 0: {}", key, who)};
  };
  constexpr const char* kNobody = "no search is allowed";
  constexpr const char* kModel = "no model may be asked";
  if (budgets.iterations <= 0) return none("iterations", kNobody);
  if (!(budgets.seconds > 0)) return none("seconds", kNobody);
  if (!(budgets.gpu_seconds > 0)) return none("gpu_seconds", kNobody);
  if (budgets.model && budgets.tokens <= 0) return none("tokens", kModel);
  if (budgets.model && !(budgets.cost_usd > 0)) return none("cost_usd", kModel);
  return std::nullopt;
}

std::optional<Stop> used_up(const Budgets& budgets, const Spent& spent) {
  if (spent.seconds >= budgets.seconds)
    return Stop{StopReason::seconds,
                fmt::format("{:.0f} s were allowed, and {:.0f} s are over", budgets.seconds, spent.seconds)};
  if (spent.gpu_seconds >= budgets.gpu_seconds)
    return Stop{StopReason::gpu_seconds, fmt::format("{:.0f} s of GPU time were allowed, and {:.1f} s were used",
                                                     budgets.gpu_seconds, spent.gpu_seconds)};
  return std::nullopt;
}

std::optional<Stop> asked_enough(const Budgets& budgets, const Spent& spent) {
  if (budgets.tokens > 0 && spent.tokens >= budgets.tokens)
    return Stop{StopReason::tokens,
                fmt::format("{} tokens were allowed, and {} were used", budgets.tokens, spent.tokens)};
  if (budgets.cost_usd > 0 && spent.cost_usd >= budgets.cost_usd)
    return Stop{StopReason::cost,
                fmt::format("{:.2f} USD were allowed, and {:.2f} USD were spent", budgets.cost_usd, spent.cost_usd)};
  return std::nullopt;
}

}  // namespace kgate::search
