#include "gate/search/next.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/search/ablation.h"
#include "gate/search/score.h"

namespace kgate::search {
namespace {

constexpr std::int64_t kMostMachineFailures = 3;

std::optional<Stop> no_more_gain(const History& history) {
  const Budgets& budgets = history.budgets();
  const double best = history.best().evaluation.score;
  if (const auto floor = floor_of(history.best().evaluation); floor && *floor > best * (1 - budgets.least_gain)) {
    return Stop{
        StopReason::floor,
        fmt::format("the hardware allows no version that takes {:g} % less time than the best: that is at {:.1f} % "
                    "of the baseline's time, the floor at {:.1f} %",
                    100 * budgets.least_gain, 100 * best, 100 * *floor)};
  }
  const auto& rounds = history.rounds();
  const auto patience = static_cast<std::size_t>(std::max<std::int64_t>(budgets.patience, 0));
  if (patience == 0 || rounds.size() < patience) return std::nullopt;
  const double before = rounds.size() == patience ? 1 : rounds[rounds.size() - patience - 1];
  const double gain = 1 - rounds.back() / before;
  if (gain >= budgets.least_gain) return std::nullopt;
  return Stop{StopReason::patience,
              fmt::format("the last {} gained {:.2f} %; to go on takes {:g} %, or more patience",
                          patience == 1 ? std::string("round") : fmt::format("{} rounds", patience), 100 * gain,
                          100 * budgets.least_gain)};
}

std::string last_failure(const History& history) {
  std::string reason;
  for (const Step& step : history.steps()) {
    if (step.evaluation.outcome == Outcome::environment) reason = step.evaluation.reason;
  }
  return reason;
}

std::optional<Stop> over(const History& history, double seconds) {
  Spent spent = history.spent();
  spent.seconds = std::max(spent.seconds, seconds);
  if (auto stop = used_up(history.budgets(), spent)) return stop;
  if (history.machine_failures() >= kMostMachineFailures) {
    return Stop{StopReason::environment, fmt::format("the machine failed {} times in a row: {}",
                                                     history.machine_failures(), last_failure(history))};
  }
  return no_more_gain(history);
}

// Why nobody is asked any more.
Stop nobody_left(const History& history, const std::vector<ProposerFacts>& proposers) {
  const Budgets& budgets = history.budgets();
  Stop stop{StopReason::proposers, ""};
  for (const ProposerFacts& one : proposers) {
    const auto& out = history.out().at(one.name);
    stop.reason += fmt::format("{}{}: {}", stop.reason.empty() ? "" : "; ", one.name, out.reason);
    if (out.kind == "unavailable" && stop.why == StopReason::proposers) stop.why = StopReason::unanswered;
    if (out.kind != "budget") continue;
    const auto share = [](double used, double allowed) { return allowed > 0 ? used / allowed : 0; };
    const bool money = share(history.spent().cost_usd, budgets.cost_usd) >
                       share(static_cast<double>(history.spent().tokens), static_cast<double>(budgets.tokens));
    stop.why = money ? StopReason::cost : StopReason::tokens;
  }
  if (proposers.empty()) stop.reason = "there is none";
  return stop;
}

}  // namespace

Action next_action(const History& history, const std::vector<ProposerFacts>& proposers, double seconds) {
  const Budgets& budgets = history.budgets();
  if (const auto stop = forbids(budgets)) return *stop;
  const Evaluation& baseline = history.step(0).evaluation;
  if (baseline.outcome == Outcome::open) return Judge{0};
  if (!is_timed(baseline))
    return Stop{StopReason::baseline, fmt::format("{}: {}", name_of(baseline.outcome), baseline.reason)};
  if (const auto stop = over(history, seconds)) return *stop;

  const auto enough = asked_enough(budgets, history.spent());
  const Step* open = nullptr;
  std::size_t number_of_open = 0;
  for (const Step& step : history.steps()) {
    if (!enough && history.repair_due(step)) return Repair{step.number};
    if (const auto parts = due_trial(history, step)) return Try{step.number, *parts};
    if (!step.is_open()) continue;
    ++number_of_open;
    if (open == nullptr) open = &step;
  }

  const auto asked = std::find_if(proposers.begin(), proposers.end(),
                                  [&](const auto& one) { return history.out().count(one.name) == 0; });
  const bool may_ask = !enough && history.spent().iterations < budgets.iterations && asked != proposers.end();
  if (may_ask && number_of_open < std::max<std::size_t>(asked->ahead, 1))
    return Ask{static_cast<std::size_t>(asked - proposers.begin())};
  if (open != nullptr) return Judge{open->number};
  if (enough) return *enough;
  if (history.spent().iterations >= budgets.iterations)
    return Stop{StopReason::iterations,
                fmt::format("{} iterations were allowed, and all are done", budgets.iterations)};
  return nobody_left(history, proposers);
}

}  // namespace kgate::search
