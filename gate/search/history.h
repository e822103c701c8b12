#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gate/search/budget.h"
#include "gate/search/evaluator.h"
#include "gate/search/journal/entry.h"
#include "gate/search/journal/summary.h"
#include "gate/search/propose/proposal.h"

namespace kgate::search {

// One version: who proposed it, what it is, what became of it.
struct Step {
  std::int64_t number = 0, iteration = 0, repair_of = 0, ablation_of = 0;  // as in the journal; the baseline is 0
  Proposal proposal;
  std::string candidate;        // digest; empty: it could not be applied
  std::string fault;            // why not
  std::int64_t same_as = -1;    // number of the step that tried this version, or one alike, before
  Evaluation evaluation;        // outcome `open` until it is judged
  bool repairable = false;      // as the judgement says
  bool repair_refused = false;  // its proposer was asked to repair it, and did not
  double wall_s = 0;            // when it was proposed
  bool is_open() const { return evaluation.outcome == Outcome::open; }
};

// What failed in a kind of idea. Proposals that change parameters alone have none: their values were chosen by whoever
// wrote kernel.toml.
struct Direction {
  std::int64_t failures = 0;  // iterations in a row that did not compile, repairs included, since there was a new best
  std::string closed;         // why, for good; empty: it is not
};

// All that a search knows, as a function of its journal's lines. The loop changes nothing else: it writes a line, and
// takes it in here as if it had been read. That is why a killed search goes on as if it had not been.
class History {
 public:
  History(Candidate baseline, const Budgets& budgets);

  // The next line, as the journal's reader lets it through. Throws Error(usage) where a proposal does not give the
  // version that the line says it gave.
  void take(const journal::Line& line);
  // What a proposal would be, were its line the next one.
  Step resolved(const journal::Proposed& line) const;

  const std::vector<Step>& steps() const { return steps_; }
  const Step& step(std::int64_t number) const { return steps_[static_cast<std::size_t>(number)]; }
  const Step& best() const { return step(best_); }
  const Candidate& baseline() const { return baseline_; }
  const Spent& spent() const { return spent_; }
  const Budgets& budgets() const { return budgets_; }
  const std::map<std::string, Direction>& directions() const { return directions_; }
  // Those that are not asked any more, with the refusal.
  struct Out {
    std::string kind, reason;
  };
  const std::map<std::string, Out>& out() const { return out_; }
  // What each proposer cost.
  const std::map<std::string, journal::ProposerCost>& asked() const { return asked_; }
  // The best score after each iteration that is done with, but for those in which the machine failed.
  const std::vector<double>& rounds() const { return rounds_; }
  std::int64_t machine_failures() const { return machine_failures_; }  // in a row
  const std::optional<journal::Stopped>& stopped() const { return stopped_; }

  // The whole version with this digest, of a step that could be applied.
  Candidate version(const std::string& digest) const;
  std::map<std::string, std::string> parameters(const Step& step) const;
  // Steps that have some parts of this one, in order.
  std::vector<const Step*> trials(const Step& step) const;
  // Why proposals of its direction are refused now; empty: they are not.
  std::string closed(const Proposal& proposal) const;
  std::int64_t repairs_of(std::int64_t iteration) const;
  // Whether its proposer may be asked to repair it.
  bool repair_due(const Step& step) const;

 private:
  // A version as what differs from the baseline: a search may try hundreds, and headers may be megabytes.
  struct Version {
    std::map<std::string, std::string> changed, parameters;
  };

  void take_one(const journal::Header&) {}
  void take_one(const journal::Proposed& line);
  void take_one(const journal::Judged& line);
  void take_one(const journal::Unanswered& line);
  void take_one(const journal::Resumed& line);
  void take_one(const journal::Stopped& line);

  std::optional<Candidate> made_by(Step& step) const;
  void remember(const Step& step, const Candidate& candidate);
  void count(const std::string& proposer, const journal::Usage& usage);
  bool is_done(std::int64_t iteration) const;
  void end_rounds();
  void end_round(std::int64_t iteration);

  Candidate baseline_;
  Budgets budgets_;
  std::vector<Step> steps_;
  std::map<std::string, Version> versions_;    // by digest
  std::map<std::string, std::int64_t> tried_;  // digest or likeness -> step
  std::map<std::string, Direction> directions_;
  std::map<std::string, Out> out_;
  std::map<std::string, journal::ProposerCost> asked_;
  std::vector<double> rounds_;
  std::set<std::int64_t> done_;  // iterations
  std::optional<journal::Stopped> stopped_;
  Spent spent_;
  std::int64_t best_ = 0, machine_failures_ = 0;
};

// Whether all that it changes are values of tunables.
bool tunes_alone(const Proposal& proposal);

}  // namespace kgate::search
