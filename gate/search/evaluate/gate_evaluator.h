#pragma once

#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "gate/search/candidate.h"
#include "gate/search/evaluate/counters.h"
#include "gate/search/evaluate/quick_look.h"
#include "gate/search/evaluator.h"
#include "gate/search/score.h"
#include "gate/verdict/check/worker.h"
#include "gate/verdict/judge.h"
#include "gate/verdict/preparation.h"
#include "gate/verdict/timing/experiment.h"

namespace kgate::search {

// The gate as a judge of candidates: the same rules, compilers, checks and timed rounds as `kgate run`, on one kernel,
// with processes that stay from candidate to candidate. A process that has served one candidate serves the next: what
// is found wrong there is found again in a fresh one before it is said (gate/verdict/check).
class GateEvaluator : public Evaluator {
 public:
  // `options.selection` names the one kernel. Reads policy, machine and kernel, takes the device, compiles what is
  // judged against. Throws Error as verdict::judge does.
  GateEvaluator(const verdict::JudgeOptions& options, verdict::Progress& progress);
  ~GateEvaluator() override;

  // The kernel as it stands in the working tree.
  const Candidate& baseline() const { return baseline_; }
  const verdict::Preparation& ready() const { return ready_; }
  // Without its hold-out cases.
  const verdict::Subject& subject() const { return subject_; }

  void prepare(const Candidate& candidate) override;
  Evaluation evaluate(const Candidate& candidate, const Candidate& best, const TimeLeft& left) override;
  // What a version that was judged right waits for, by the GPU's performance counters; between two evaluations, since
  // it needs the device for itself. Its gpu_s is in nobody's Cost: it is for the caller to count.
  Counted count(const Candidate& candidate);
  // Lets go of the device for good: every process on it ends, and others may have it.
  void leave();

 private:
  // A candidate read and compiled, or why not.
  struct Built {
    std::optional<verdict::Version> version;
    verdict::Artifact code;
    Outcome outcome = Outcome::open;  // open: it can be judged
    std::string reason;
    double compile_s = 0;
  };
  using Future = std::shared_future<std::shared_ptr<const Built>>;

  std::shared_ptr<const Built> build(const Candidate& candidate) const;
  std::shared_ptr<const Built> built(const Candidate& candidate);
  verdict::Subject subject_of(const Built& built) const;
  bool check(const verdict::Subject& subject, const Built& built, const Built& best, Evaluation& found,
             std::shared_ptr<const verdict::KernelAnswers>& answers);
  std::vector<verdict::Reference> references(const Built& best) const;
  bool look_quickly(const verdict::Subject& subject, const Built& built, const Built& best, std::uint64_t seed,
                    Evaluation& found);
  void time(const verdict::Subject& subject, const Built& built, const Built& best,
            std::shared_ptr<const verdict::KernelAnswers> answers, std::uint64_t seed, double seconds,
            Evaluation& found);
  void time_baseline(const verdict::Subject& subject, const Built& built, Evaluation& found);
  void rest();
  void let_others_go_first();
  std::uint64_t seed_of(const Candidate& candidate) const;

  const verdict::JudgeOptions& options_;
  verdict::Judgement judgement_;
  verdict::Preparation ready_;
  verdict::Subject subject_;  // as it stands
  Candidate baseline_;
  verdict::Artifact reference_;
  std::map<std::string, double> baseline_us_;  // by performance case, once the baseline was timed
  verdict::KernelResult described_;            // the baseline, with its resources
  std::map<std::string, Future> building_;     // by digest
  verdict::CheckProcess trusted_, candidates_;
  QuickLook quick_;
  std::optional<verdict::ChildPool> children_;
};

}  // namespace kgate::search
