#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gate/search/evaluate/built.h"
#include "gate/search/evaluate/quick_look.h"
#include "gate/search/evaluator.h"
#include "gate/verdict/check/answers.h"
#include "gate/verdict/check/correctness.h"
#include "gate/verdict/check/worker.h"
#include "gate/verdict/preparation.h"

namespace kgate::search {

// What the gate's word for a case that does not hold means for its version.
Outcome outcome_of(verdict::Verdict verdict);

// A candidate that has been compiled, and what it is held against.
struct CheckingJob {
  const verdict::Subject& subject;  // with the candidate in the place of the kernel as it stands
  const Built& candidate;
  const Built& best;
  const Measured* beside = nullptr;                   // the best one, once it was timed; null: this is the baseline
  const std::vector<verdict::Reference>& references;  // that it will be timed beside
  std::uint64_t seed = 0;                             // of its inputs, now and when it is timed
};

// Before a candidate is timed as the gate times: is it right, first on the smallest case, then on all, on fresh inputs;
// does a quick look beside the best rule it out; what do the versions answer to the contents that timing will use. In
// this order: each costs several times the one before, and most candidates are worse. The inputs of a case are made
// once for the first two: to make them is most of what a quick look would cost.
class CandidateCheck {
 public:
  // `reference`: null where cases bring what they expect.
  CandidateCheck(const verdict::Preparation& ready, verdict::Artifact reference, unsigned threads);

  // Whether it is to be timed; where not, `found` says what it came to.
  bool check(const CheckingJob& job, Evaluation& found);
  // What check() learnt for timing; of the baseline nothing.
  std::shared_ptr<const verdict::KernelAnswers> answers() const { return answers_; }
  // Lets go of the device.
  void rest();

 private:
  // A performance case that the candidate passed.
  struct Passed {
    const cases::CaseSpec* spec;
    verdict::Outputs expected, candidate;
  };

  bool check_cases(const CheckingJob& job, const verdict::Subject& part, Evaluation& found);
  void look(const CheckingJob& job, const verdict::PassedCase& passed);
  bool is_within_limits(const verdict::Subject& part, const Built& built, const verdict::KernelCheck& checked,
                        Evaluation& found);
  bool is_ruled_out(const CheckingJob& job, Evaluation& found) const;
  bool find_answers(const CheckingJob& job, Evaluation& found);

  const verdict::Preparation& ready_;
  verdict::Artifact reference_;
  unsigned threads_;
  verdict::CheckProcess trusted_, candidates_;
  QuickLook quick_;
  std::optional<verdict::KernelResult> baseline_;  // with its resources, once it was checked
  // Of the candidate that is checked now.
  std::vector<Passed> passed_;
  std::map<std::string, stats::Interval> looks_;  // by case
  std::string fault_;                             // of a quick look
  std::shared_ptr<const verdict::KernelAnswers> answers_;
};

}  // namespace kgate::search
