#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gate/search/candidate.h"
#include "gate/search/evaluate/builder.h"
#include "gate/search/evaluate/candidate_check.h"
#include "gate/search/evaluate/counters.h"
#include "gate/search/evaluator.h"
#include "gate/verdict/judge.h"
#include "gate/verdict/preparation.h"
#include "gate/verdict/timing/experiment.h"

namespace kgate::search {

// The gate as a judge of candidates: the same rules, compilers, checks and timed rounds as `kgate run`, on one kernel,
// with processes that stay from candidate to candidate. A process that has served one candidate serves the next: what
// is found wrong there is found again in a fresh one before it is said (gate/verdict/check).
class GateEvaluator : public Evaluator {
 public:
  // `ready` has read the policy, for these options, of which `selection` names the one kernel. Reads machine and
  // kernel, takes the device, compiles what is judged against. Throws Error as verdict::judge does.
  GateEvaluator(const verdict::JudgeOptions& options, verdict::Preparation& ready);

  // The kernel as it stands in the working tree.
  const Candidate& baseline() const { return baseline_; }
  const verdict::Preparation& ready() const { return ready_; }
  double bandwidth() const { return bandwidth_; }
  // Without its hold-out cases.
  const verdict::Subject& subject() const { return subject_; }
  const Builder& builder() const { return *builder_; }

  void prepare(const Candidate& candidate) override { builder_->begin(candidate); }
  Evaluation evaluate(const Candidate& candidate, const Measured& best, const TimeLeft& left) override;
  // What a version that was judged right waits for, by the GPU's performance counters; between two evaluations, since
  // it needs the device for itself. The time that takes is in the next evaluation's cost: a search has no other
  // account.
  Counted count(const Candidate& candidate);
  // Lets go of the device for good: every process on it ends, and others may have it.
  void leave();

 private:
  Evaluation evaluated(const Candidate& candidate, const Measured& best, const TimeLeft& left);
  verdict::Subject subject_of(const Built& built) const;
  std::vector<verdict::Reference> references(const Built& best) const;
  void time(const CheckingJob& job, double seconds, Evaluation& found);
  void time_baseline(const CheckingJob& job, Evaluation& found);
  double weight_of(const std::string& case_name) const;
  double floor_us(const std::string& case_name) const;
  void rest();
  void let_others_go_first();
  std::uint64_t seed_of(const Candidate& candidate) const;

  const verdict::JudgeOptions& options_;
  verdict::Preparation& ready_;
  verdict::Subject subject_;  // as it stands
  Candidate baseline_;
  double bandwidth_ = 0;  // bytes a second; 0: not known
  bool knows_baseline_ = false;
  double counted_s_ = 0;  // of the device, for counters, that is in no evaluation's cost yet
  std::optional<Builder> builder_;
  std::optional<CandidateCheck> check_;
  std::optional<verdict::ChildPool> children_;
};

}  // namespace kgate::search
