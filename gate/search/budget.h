#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kgate::search {

// What a search may spend. Of iterations and of both times 0 means: no search. Of tokens and money 0 means: none may be
// spent where a model proposes, and nothing to bound where none does.
struct Budgets {
  std::int64_t iterations = 7;               // proposals asked for; repairs and trials in parts come on top
  double seconds = 1800, gpu_seconds = 600;  // wall clock; GPU in use
  std::int64_t tokens = 0;                   // in and out
  double cost_usd = 0;
  std::int64_t repairs = 3;                  // of one candidate
  std::int64_t failures_in_a_direction = 3;  // candidates in a row that do not compile; 0: not limited
  std::int64_t patience = 3;                 // rounds in which the best has to get better by least_gain; 0: for ever
  double least_gain = 0.02;                  // 0.02: 2 % less time
  bool model = false;                        // some proposer spends tokens or money
};

struct Spent {
  std::int64_t iterations = 0, tokens = 0;
  double seconds = 0, gpu_seconds = 0, compile_seconds = 0, cost_usd = 0;
};

enum class StopReason {
  no_search,   // the budgets allow none
  baseline,    // the version to begin with is not right, or could not be timed
  iterations,  // all of them were used
  seconds,
  gpu_seconds,
  tokens,
  cost,
  patience,    // too little was gained over the last rounds
  floor,       // the hardware allows nothing that is much better
  proposers,   // none has anything more to propose
  unanswered,  // the same, and some could not be asked: they may answer another time
  environment  // the machine failed several times in a row
};
std::string_view name_of(StopReason reason);

struct Stop {
  StopReason why = StopReason::no_search;
  std::string reason;  // a sentence, lower case, without full stop
};

// Why there can be no search with these; nothing: there can.
std::optional<Stop> forbids(const Budgets& budgets);
// The first budget that is used up, but for iterations: work that was begun is finished within those.
std::optional<Stop> used_up(const Budgets& budgets, const Spent& spent);
// Whether nothing more may be asked of a proposer: the same for tokens and money, whose answers are paid for and are
// still worth judging.
std::optional<Stop> asked_enough(const Budgets& budgets, const Spent& spent);

}  // namespace kgate::search
