#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gate/stats/decision.h"

namespace kgate::stats {

struct TrialOptions {
  DecisionOptions decision;
  std::int64_t max_rounds = 8;
  std::int64_t most_step = 256;  // blocks between two looks, at most
};

// The sequential experiment on one ratio, without a clock or a GPU: says how many blocks to measure next and when to
// stop. The judge's experiment and the bench's simulations run this same code.
//
//   while (trial.open()) { trial.start_round(); while (auto n = trial.wanted()) trial.add(measure(n)); }
//
// The first round measures kMinBlocks blocks, guesses from their spread what an answer needs, and leaves the other
// rounds their share; from the last of min_rounds rounds on, every step ends in a look. A suspected slowdown ends the
// round: the next one must confirm it alone.
class Trial {
 public:
  explicit Trial(const TrialOptions& options) : options_(options) {}

  bool open() const { return !finished_ && (rounds() < options_.max_rounds + (confirming_ ? 1 : 0) || !round_over_); }
  bool finished() const { return finished_; }
  void start_round();
  // Blocks that this round should add next; 0: the round is over.
  std::int64_t wanted() const;
  void add(const std::vector<double>& log_ratios);
  // Nothing more will come in this round: decides by what is there.
  void conclude_round();
  // Blocks [first, first + count) of a round do not count: something from outside disturbed them. A trial that had
  // finished looks again, and is open where the rest does not answer any more; rounds come in place of what was lost.
  void drop(std::size_t round, std::size_t first, std::size_t count);
  // As the base's time became known better (zone_for).
  void set_zone(const Zone& zone) { options_.decision.zone = zone; }
  void set_resolution(double resolution) { options_.decision.resolution = resolution; }

  std::int64_t rounds() const { return static_cast<std::int64_t>(evidence_.rounds.size()); }
  std::int64_t blocks() const;
  // By all evidence so far; final where finished().
  const Decision& decision() const { return decision_; }
  const Evidence& evidence() const { return evidence_; }
  const TrialOptions& options() const { return options_; }
  bool confirming() const { return confirming_; }
  // Not decided, but what is known lies beyond `block` as a whole: a slowdown that only too few rounds keep from being
  // proved.
  bool alarmed() const { return open() && blocks() >= kMinBlocks && decision_.low > 1 + options_.decision.zone.block; }
  // Why it stopped, look by look.
  const std::vector<std::string>& trace() const { return trace_; }

 private:
  bool may_decide() const;
  void look();
  void plan();

  TrialOptions options_;
  Evidence evidence_;
  Decision decision_;
  std::vector<std::string> trace_;
  std::int64_t looks_ = 0;
  std::int64_t goal_ = 0;  // blocks that this round wants in all
  std::int64_t seen_ = 0;  // blocks at the last look
  bool confirming_ = false, finished_ = false, round_over_ = false;
};

}  // namespace kgate::stats
