#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gate/trust/policy.h"
#include "gate/verdict/check/sample_check.h"
#include "gate/verdict/compile/arms.h"
#include "gate/verdict/subject/case_data.h"
#include "gate/verdict/timing/company.h"
#include "gate/verdict/timing/track.h"
#include "gate/verdict/timing/watch.h"

namespace kgate::verdict {

struct TimeOptions {
  std::string backend;
  std::uint64_t seed = 0;
  unsigned threads = 1;
  std::uint64_t pool_bytes = 0;
  trust::Budget budget;
  double round_spread = 0.0006;  // of this machine: stats::DecisionOptions
  Watch* watch = nullptr;        // on the GPU's state; null: nothing is watched
  // Kernels of one suite share a process a round; else each has its own. Sharing saves the start of a context (0.25 s
  // on an H200, and contexts start one after the other) for every kernel and round; a kernel that fails takes the
  // process with it, and the next gets a fresh one.
  bool share_processes = true;
  // The jobs are those of one shard of so many. The error is the whole suite's, and no shard knows how many decisions
  // the others come to: each spends an equal part of it.
  std::int64_t shards = 1;
  bool apart = false;  // time versions of equal code apart, not as one arm
  bool alone = false;  // at the end, time the earlier versions without the candidate as well (company.h)
  std::function<void(const std::string& kernel, const std::string& one)> on_case;  // progress
};

struct TimeJob {
  const Subject* subject = nullptr;
  Artifact candidate;
  std::vector<Reference> references;  // at least one; the first is the one whose figures are a case's own
  std::shared_ptr<const KernelAnswers> answers = {};  // samples of cases that are not in it are not checked
};

struct TimedComparison {
  std::string against;
  Verdict verdict = Verdict::inconclusive;  // pass, faster, unchanged, regressed, suspect, inconclusive
  std::string reason;
  Timing timing;
};

struct TimedCase {
  std::string name;
  Verdict verdict = Verdict::inconclusive;  // the worst of the comparisons'; wrong where the candidate fails while it
                                            // is timed
  std::string reason;
  std::vector<TimedComparison> comparisons;  // in the order of the references
  bool moved = true;                // false: the pool could not hold the buffers, so that they stayed at one place
  std::vector<std::string> arms;    // who is measured in each arm: "candidate", "base", "base and accepted"
  std::vector<std::size_t> arm_of;  // of the candidate, then of each reference
  std::vector<std::vector<std::vector<double>>> us;  // [round][arm][block]
  std::string trouble;  // how its process ended at first, where a second one was tried; empty: it did not
};

constexpr double kFirstLimit = 600;  // seconds for the first request of a case, of which nothing is known

// One case of one kernel, over the rounds: measures in the child it is given, drops what was disturbed from outside.
class CaseExperiment {
 public:
  CaseExperiment(const TimeJob& job, const TimeOptions& options, const cases::CaseSpec& one, std::int64_t decisions);

  bool open() const;
  // Open although its budget may be spent: what looks like a slowdown gets its rounds, or a kernel that is slow enough
  // would end its own trial.
  bool alarmed() const;
  // How many blocks are missing for an answer, by what is known; the order in which cases are measured.
  std::int64_t doubt() const;
  // Measures in this child until this round has told what it can. False where the child is of no more use: a kernel
  // failed in it.
  bool measure_round(runner::Client& child, std::int64_t round);
  // Whether the earlier version has to be timed without the candidate, in a process that has not loaded it.
  bool wants_company() const;
  void measure_alone(runner::Client& child);
  // Once more beside it, for what the first look found.
  void measure_beside(runner::Client& child);
  bool slowed() const { return !failed_ && company_.slowed; }
  // Its process ended twice while it was timed. What that means, the same without the candidate decides, in this child.
  bool awaits_control() const { return failed_ && !second_trouble_.empty(); }
  void try_without_candidate(runner::Client& child, const std::function<void()>& load_references);
  // Windows that something from outside disturbed are taken out, once all is known about them; true where the case is
  // open again.
  bool settle();
  // Seconds of measuring that went into it.
  double used_s() const { return used_s_; }
  // Nothing more will come. `cut_short`: why not, where it is not this case's own doing; empty: nothing else ended it.
  TimedCase finish(const std::string& cut_short);

 private:
  struct Window {
    double from_s = 0, to_s = 0;
    std::size_t round = 0, first = 0, count = 0;
    bool fresh = false;                     // blocks of the fresh regime: `first` counts those alone
    std::vector<std::size_t> track_rounds;  // the same round by each track's own count: decided tracks sit some out
  };

  std::size_t compared_arm(std::size_t reference) const;
  bool place(runner::Client& child);
  bool measure(runner::Client& child, std::int64_t blocks);
  bool measure_fresh(runner::Client& child);
  void hand_over_variants(runner::Client& child);
  bool fresh_is_enough() const;
  runner::TimeOutcome request(runner::Client& child, runner::TimeJob job);
  void choose_checks(runner::TimeJob& job);
  std::int64_t round_of_the_whole(runner::Regime regime) const;
  void check_samples(runner::Client& child, const runner::TimeJob& job, const runner::TimeOutcome& outcome);
  void check_whole(runner::Client& child, std::uint32_t variant);
  void require_digests(const runner::CheckedSample& sample, bool whole) const;
  TimedVersion version_of_arm(std::size_t arm) const;
  bool power_capped() const;
  std::int64_t affordable() const;
  std::int64_t wanted() const;
  bool in_time() const { return used_s_ <= options_.budget.seconds_per_case; }
  void fail(Verdict verdict, std::string reason);
  std::uint64_t stream_of(const std::string& what) const;

  const TimeJob& job_;
  const TimeOptions& options_;
  const cases::CaseSpec& one_;
  CaseInputs inputs_;
  std::vector<CaseInputs> variants_;  // further contents, for the fresh regime
  Arms arms_;
  std::vector<Track>
      tracks_;  // of the references that differ from what they are compared with: the candidate's before others
  std::vector<std::size_t> track_of_;  // [reference]; none: equal to what it is compared with
  std::vector<Window> windows_;
  TimedCase result_;
  const CaseAnswers* answers_ = nullptr;
  Timing how_;          // regime and batch, as the child answered
  double used_s_ = 0;   // of measuring
  double fresh_s_ = 0;  // of that on fresh inputs
  std::int64_t measured_ = 0, checked_ = 0, requests_ = 0, round_ = 0, first_round_ = 0, disturbed_windows_ = 0;
  std::string fresh_note_;      // why the samples on fresh inputs tell nothing; empty: they do
  std::string second_trouble_;  // as trouble; empty: none, or the control has been tried
  std::string cause_;           // of the last window that was dropped
  std::set<std::pair<std::int64_t, runner::Regime>> checked_rounds_;
  std::vector<double> beside_us_;  // the first earlier version's, beside the candidate; empty: the last round's
  double alone_us_ = 0;            // its median without
  Company company_;
  bool fresh_possible_ = true, failed_ = false;
};

}  // namespace kgate::verdict
