#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "gate/search/journal/entry.h"

// What came of a search, as plain values: what summary.json, the terminal and the page are made from.
namespace kgate::search::journal {

inline constexpr const char* kSummarySchema = "kgate.search-summary/1";

// What the gate says of a search's winner. Who picks the best of many picks luck too, and a search had every chance to
// learn its cases by heart; so nothing of what it measured counts here.
struct Confirmation {
  bool better = false;  // right in all cases, the held-out ones too, and proved to take less time than the baseline
  std::string verdict;  // the gate's word for it
  std::string reason;   // where it is not better
  double ratio = 1, low = 0, high = 0;  // over the baseline; 0 and 0 where it was not timed
  double seconds = 0;
};

// A version that was the best and that the gate did not confirm, so that the best one before it was taken to it.
struct PassedOver {
  std::int64_t number = 0;  // of its row
  std::string verdict, reason;
};

// A version that was tried; the first of them is the baseline, number 0.
struct Row {
  std::int64_t number = 0, iteration = 0, repair_of = 0, ablation_of = 0;
  std::string candidate, parent;  // digests; a candidate that could not be applied has none
  std::string proposer, model, direction;
  std::vector<std::string> hypotheses;            // of its parts
  std::map<std::string, std::string> parameters;  // as they held
  std::string outcome, reason;                    // "open": it was not judged any more
  bool quick = false;
  double score = 0, low = 0, high = 0;  // over the baseline; 0: not timed
  std::vector<CaseFigure> cases;
  std::int64_t tokens = 0;
  double cost_usd = 0, compile_s = 0, gpu_s = 0, wall_s = 0;
};

// What one proposer cost, answers that were none included.
struct ProposerCost {
  std::int64_t proposals = 0, unanswered = 0, tokens_in = 0, tokens_out = 0;
  double cost_usd = 0, seconds = 0;
};

struct Costs {
  std::map<std::string, ProposerCost> proposers;
  std::int64_t tokens = 0;
  double cost_usd = 0, compile_s = 0, gpu_s = 0, wall_s = 0;
};

// When the winner has earned what the search cost. Time alone is counted, of GPUs and of models; nobody's working
// hours.
struct PayBack {
  double usd_per_gpu_hour = 0;             // as the user said
  double usd = 0;                          // the models' and the GPU's cost
  double saved_us = 0;                     // a launch: the cases' mean by their weights
  std::optional<double> launches_a_month;  // that pay it back within one month; nothing: no price, or nothing saved
};

struct Summary {
  Header header;
  std::optional<Stopped> stopped;  // nothing: it was interrupted and may go on
  std::vector<Row> rows;
  std::int64_t best = 0;  // number of the row; 0: nothing better was found
  Costs costs;
  PayBack pay_back;
  std::optional<Confirmation> confirmation;  // of `best`; nothing: not made
  std::vector<PassedOver> passed_over;       // in the order in which they were tried

  const Row& winner() const { return rows[static_cast<std::size_t>(best)]; }
};

Json to_json(const Summary& summary);

}  // namespace kgate::search::journal
