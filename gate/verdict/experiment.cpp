#include "gate/verdict/experiment.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/stats/robust.h"
#include "gate/verdict/case_data.h"

namespace kgate::verdict {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kCandidate = 0, kBase = 1;
constexpr std::int64_t kFirstBlocks = 12;  // a round's first look
constexpr std::int64_t kMaxStep = 256;     // blocks in one request: the judge looks in between
constexpr std::int64_t kMaxLooks = 16;     // stats::DecisionOptions.looks
// Seconds that a request may take before the kernel counts as hung: the first one, and those after it.
constexpr double kFirstLimit = 600, kTimeLimit = 120;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

runner::Placement placement_of(const std::string& name) {
  if (name == "segment") return runner::Placement::segment;
  return name == "fixed" ? runner::Placement::fixed : runner::Placement::any;
}

// Both versions on the same buffers: the parameters', then the candidate's scratch memory, then the base's.
struct Arms {
  std::vector<runner::Buffer> buffers;
  std::vector<runner::TimedArm> arms;
  std::vector<runner::Buffer> without_candidate;  // the buffers, less the candidate's scratch memory
};

Arms merge(const cases::Binding& candidate, const cases::Binding& base, std::size_t parameters) {
  Arms merged;
  merged.buffers = candidate.buffers;
  merged.without_candidate = base.buffers;
  merged.buffers.insert(merged.buffers.end(), base.buffers.begin() + static_cast<std::ptrdiff_t>(parameters),
                        base.buffers.end());
  const auto shift = static_cast<std::uint32_t>(candidate.buffers.size() - parameters);
  runner::Launches base_launches = base.launches;
  for (auto& launch : base_launches) {
    for (auto& argument : launch.arguments) {
      if (argument.buffer && *argument.buffer >= parameters) *argument.buffer += shift;
    }
  }
  merged.arms = {{kCandidate, candidate.launches}, {kBase, std::move(base_launches)}};
  return merged;
}

// What is known of one case, over the rounds.
class CaseExperiment {
 public:
  CaseExperiment(const TimeJob& job, const TimeOptions& options, const cases::CaseSpec& one, std::int64_t suite_cases)
      : job_(job),
        options_(options),
        one_(one),
        suite_cases_(suite_cases),
        inputs_(make_case_inputs(*job.subject, one, options.seed, options.threads)) {
    const auto& subject = *job.subject;
    const auto candidate = cases::bind(subject.cases, one, cases::version_of(subject.candidate.spec));
    const auto base = cases::bind(subject.cases, one, cases::version_of(subject.base->spec));
    const auto scalars = std::count_if(subject.cases.params.begin(), subject.cases.params.end(),
                                       [](const auto& param) { return param.kind == cases::ParamKind::scalar; });
    arms_ = merge(candidate, base, subject.cases.params.size() - static_cast<std::size_t>(scalars));
    result_.name = one.name;
  }

  bool open() const { return !finished_; }
  const TimedCase& result() const { return result_; }

  // Measures in this child until this round has told what it can. False where the child is of no more use: a kernel
  // failed in it.
  bool measure_round(runner::Client& child, std::int64_t round) {
    if (options_.on_case) options_.on_case(job_.subject->name, one_.name);
    if (!place(child)) return true;
    evidence_.rounds.emplace_back();
    result_.us.emplace_back(2);
    std::int64_t goal = round == 1 ? kFirstBlocks : std::max<std::int64_t>(kFirstBlocks, missing());
    while (!finished_) {
      const auto have = static_cast<std::int64_t>(evidence_.rounds.back().size());
      if (!measure(child, std::clamp<std::int64_t>(goal - have, stats::kMinBlocks, affordable()))) return false;
      const auto now = static_cast<std::int64_t>(evidence_.rounds.back().size());
      const double share = static_cast<double>(round) / options_.budget.min_rounds;
      const bool spent = used_ > options_.budget.seconds_per_case * std::min(1.0, share);
      if (round < options_.budget.min_rounds) {
        // The rounds share the work: this one leaves the others their part of what an answer needs.
        const auto plan = stats::decide(evidence_, decision_options(1));
        needed_ = std::max(plan.blocks_needed, plan.blocks + kFirstBlocks);
        goal = needed_ / options_.budget.min_rounds;
        if (spent || now >= goal) return true;
        continue;
      }
      if (!look(round)) return true;
      if (spent || looks_ >= kMaxLooks) return true;
      goal = now + std::max<std::int64_t>(kFirstBlocks, missing());
    }
    return true;
  }

  // After a round that left it open: nothing more will come.
  void give_up(std::int64_t rounds) {
    if (finished_) return;
    const auto& timing = result_.timing;
    finish(Verdict::inconclusive, fmt::format("after {} blocks in {} rounds and {:.2g} s this machine knows the ratio "
                                              "only to [{:+.2f} %, {:+.2f} %]; an answer "
                                              "needs a narrower interval than the zone {:.3g} % to {:.3g} %: a quieter "
                                              "machine, a larger [budget], or a wider "
                                              "[zone]",
                                              timing.blocks, rounds, used_, 100 * (timing.low - 1),
                                              100 * (timing.high - 1), 100 * zone().tolerate, 100 * zone().block));
  }

 private:
  stats::Zone zone() const {
    const auto& zone = job_.zone;
    return stats::zone_for({zone.tolerate, zone.block, zone.absolute_us}, result_.timing.base_us);
  }

  stats::DecisionOptions decision_options(std::int64_t min_rounds) const {
    stats::DecisionOptions decision;
    decision.zone = zone();
    decision.cases = suite_cases_;
    decision.looks = kMaxLooks;
    decision.min_rounds = min_rounds;
    return decision;
  }

  // False where the candidate's scratch memory is what does not fit. It did alone, when it was checked, so this is no
  // failure of the machine: the control is the same child without it.
  bool place(runner::Client& child) {
    try {
      place_case(child, arms_.buffers, inputs_, pool_bytes());
      return true;
    } catch (const Error& error) {
      const bool has_scratch = arms_.buffers.size() > arms_.without_candidate.size();
      if (error.kind() != ErrorKind::environment || child.lost() || !has_scratch) throw;
      child.allocate({arms_.without_candidate, 0}, runner::Client::Seconds(kHandOverLimit));
      finish(Verdict::wrong, fmt::format("its scratch memory does not fit beside the base's: {}", error.what()));
      return false;
    }
  }

  std::uint64_t pool_bytes() const {
    if (options_.backend != "host") return options_.pool_bytes;
    std::uint64_t sum = 64u << 20;
    for (const auto& buffer : arms_.buffers) sum += 4 * (buffer.bytes + 4096);
    return std::min(sum, options_.pool_bytes);
  }

  // Blocks that the rest of the budget pays for, by what a block has cost so far: a slow kernel is looked at after a
  // few, and a request never grows so long that it could be taken for a hang.
  std::int64_t affordable() const {
    const auto measured = static_cast<double>(result_.timing.blocks);
    if (measured == 0) return kFirstBlocks;
    const double rest = std::max(0.0, options_.budget.seconds_per_case - used_);
    return std::clamp(static_cast<std::int64_t>(rest / (used_ / measured)), stats::kMinBlocks, kMaxStep);
  }

  std::int64_t missing() const {
    std::int64_t have = 0;
    for (const auto& round : evidence_.rounds) have += static_cast<std::int64_t>(round.size());
    return needed_ - have;
  }

  // False where the case ended: a kernel failed while it was timed.
  bool measure(runner::Client& child, std::int64_t blocks) {
    runner::TimeJob request;
    request.arms = arms_.arms;
    request.blocks = static_cast<std::uint32_t>(blocks);
    request.launches_per_sample = static_cast<std::uint32_t>(result_.timing.launches_per_sample);
    request.placement = placement_of(options_.budget.placement);
    request.cache = one_.cold ? runner::CacheState::cold : runner::CacheState::warm;
    // A stream of its own for every case and round: the same seed repeats the same orders and places.
    request.seed = seed_of(
        one_, {options_.seed, job_.subject->name, fmt::format("{}/round{}", one_.name, evidence_.rounds.size())});
    request.first_block = evidence_.rounds.back().size();
    const auto start = Clock::now();
    // Nothing is known of a block's length before the first request; afterwards twenty times what it should take is a
    // hang.
    const double limit = result_.timing.blocks == 0
                             ? kFirstLimit
                             : std::max(kTimeLimit, 20 * used_ / static_cast<double>(result_.timing.blocks) *
                                                        static_cast<double>(blocks));
    const auto outcome = child.time(request, runner::Client::Seconds(limit));
    used_ += seconds_since(start);
    if (!outcome.run.ok || outcome.run.unsupported) {
      finish(outcome.run.unsupported ? Verdict::environment : Verdict::wrong,
             "while it was timed beside the base: " + outcome.run.fault);
      return false;
    }
    if (outcome.us.size() != 2 || outcome.us[0].size() != request.blocks || outcome.us[1].size() != request.blocks) {
      throw Error(ErrorKind::internal, "kgate-runner", "answered with another number of samples than it was asked for");
    }
    result_.timing.launches_per_sample = outcome.launches_per_sample;
    result_.timing.regime = outcome.regime;
    result_.moved = result_.moved && outcome.moved;
    for (std::size_t block = 0; block < outcome.us[0].size(); ++block) {
      evidence_.rounds.back().push_back(std::log(outcome.us[kCandidate][block] / outcome.us[kBase][block]));
      for (std::size_t arm = 0; arm < 2; ++arm) result_.us.back()[arm].push_back(outcome.us[arm][block]);
    }
    summarise();
    return true;
  }

  void summarise() {
    std::vector<double> candidate, base;
    for (const auto& round : result_.us) {
      candidate.insert(candidate.end(), round[kCandidate].begin(), round[kCandidate].end());
      base.insert(base.end(), round[kBase].begin(), round[kBase].end());
    }
    auto& timing = result_.timing;
    timing.candidate_us = stats::quantile(candidate, 0.5);
    timing.base_us = stats::quantile(base, 0.5);
    timing.p95_ratio = stats::quantile(candidate, 0.95) / stats::quantile(base, 0.95);
    const auto all = stats::decide(evidence_, decision_options(1));
    timing.ratio = all.ratio;
    timing.low = all.low;
    timing.high = all.high;
    timing.blocks = all.blocks;
    timing.rounds = all.rounds;
  }

  // False where there is nothing more to do in this round: decided, or the suspicion wants a fresh one.
  bool look(std::int64_t round) {
    ++looks_;
    const auto decision = stats::decide(evidence_, decision_options(options_.budget.min_rounds));
    result_.timing.trace.push_back(decision.why);
    needed_ = std::max(decision.blocks_needed, decision.blocks + kFirstBlocks);
    switch (decision.finding) {
      case stats::Finding::undecided:
        return true;
      case stats::Finding::faster:
        finish(Verdict::faster, "");
        return false;
      case stats::Finding::not_slower:
        finish(Verdict::pass, "");
        return false;
      case stats::Finding::slower:
        break;
    }
    if (confirming_ && round > suspected_in_) {
      if (stats::confirms(evidence_.rounds.back(), decision_options(1))) {
        result_.timing.trace.push_back("confirmed in a fresh round");
        finish(Verdict::regressed,
               fmt::format("slower by {:.2f} % [{:+.2f}, {:+.2f}], {:.3g} % is tolerated", 100 * (decision.ratio - 1),
                           100 * (decision.low - 1), 100 * (decision.high - 1), 100 * zone().tolerate));
        return false;
      }
      result_.timing.trace.push_back("a fresh round did not confirm it");
      confirming_ = false;
      return true;
    }
    confirming_ = true;
    suspected_in_ = round;
    result_.timing.trace.push_back("suspected; a fresh round must confirm it");
    return false;
  }

  void finish(Verdict verdict, std::string reason) {
    finished_ = true;
    result_.verdict = verdict;
    result_.reason = std::move(reason);
    const auto& work = job_.subject->cases;
    const double seconds = result_.timing.candidate_us * 1e-6;
    if (seconds <= 0) return;
    const auto rate = [&](const std::optional<cases::Expression>& amount) -> std::optional<double> {
      if (!amount) return std::nullopt;
      return static_cast<double>(cases::evaluate(*amount, one_.sizes)) / seconds * 1e-9;
    };
    result_.timing.gbps = rate(work.work_bytes);
    result_.timing.gflops = rate(work.work_flops);
  }

  const TimeJob& job_;
  const TimeOptions& options_;
  const cases::CaseSpec& one_;
  std::int64_t suite_cases_;
  CaseInputs inputs_;
  Arms arms_;
  stats::Evidence evidence_;
  TimedCase result_;
  double used_ = 0;  // seconds of measuring
  std::int64_t looks_ = 0, needed_ = 2 * kFirstBlocks, suspected_in_ = 0;
  bool confirming_ = false, finished_ = false;
};

// The cases of one kernel.
class KernelExperiment {
 public:
  KernelExperiment(const TimeJob& job, const TimeOptions& options, std::int64_t suite_cases) : job_(job) {
    for (const auto* one : cases_for(*job.subject, options.backend)) {
      if (one->role == cases::CaseRole::performance) cases_.emplace_back(job, options, *one, suite_cases);
    }
  }

  bool open() const {
    return failure_.empty() && std::any_of(cases_.begin(), cases_.end(), [](const auto& one) { return one.open(); });
  }

  // False where the child is of no more use. What the machine does wrong ends this kernel and no other.
  bool measure_round(runner::Client& child, std::int64_t round) {
    try {
      const runner::Client::Seconds limit(kHandOverLimit);
      for (const auto& [arm, artifact] : {std::pair{kCandidate, job_.candidate}, std::pair{kBase, job_.base}}) {
        const auto loaded = child.load({arm, artifact->code, artifact->symbols}, limit);
        if (!loaded.outcome.ok) {
          throw Error(ErrorKind::environment, job_.subject->name,
                      "was checked, but could not be loaded to be timed: " + loaded.outcome.fault);
        }
      }
      for (auto& one : cases_) {
        // The other cases go on in the next round's child.
        if (one.open() && !one.measure_round(child, round)) return false;
      }
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::environment) throw;
      failure_ = error.what();
      return false;
    }
  }

  TimedKernel result(std::int64_t rounds) {
    TimedKernel kernel;
    kernel.failure = failure_;
    for (auto& one : cases_) {
      one.give_up(rounds);
      kernel.cases.push_back(one.result());
    }
    return kernel;
  }

 private:
  const TimeJob& job_;
  std::vector<CaseExperiment> cases_;
  std::string failure_;
};

}  // namespace

ChildPool::ChildPool(runner::ClientOptions options, std::size_t ahead) : options_(std::move(options)), wanted_(ahead) {
  options_.warm = true;
}

runner::Client ChildPool::take() {
  while (ahead_.size() < wanted_ + 1) ahead_.emplace_back(options_);
  runner::Client client = std::move(ahead_.front());
  ahead_.pop_front();
  return client;
}

std::vector<TimedKernel> time_suite(const std::vector<TimeJob>& jobs, const TimeOptions& options, ChildPool& children) {
  std::vector<KernelExperiment> kernels;
  std::int64_t cases = 0;
  for (const auto& job : jobs) {
    for (const auto* one : cases_for(*job.subject, options.backend))
      cases += one->role == cases::CaseRole::performance ? 1 : 0;
  }
  kernels.reserve(jobs.size());
  for (const auto& job : jobs) kernels.emplace_back(job, options, cases);

  const auto anything_open = [&] {
    return std::any_of(kernels.begin(), kernels.end(), [](const auto& one) { return one.open(); });
  };
  std::int64_t round = 0;
  while (round < options.budget.max_rounds && anything_open()) {
    ++round;
    std::optional<runner::Client> child;
    for (auto& kernel : kernels) {
      if (!kernel.open()) continue;
      if (!child || !options.share_processes) child.emplace(children.take());
      if (!kernel.measure_round(*child, round)) child.reset();
    }
  }
  std::vector<TimedKernel> results;
  for (auto& kernel : kernels) results.push_back(kernel.result(round));
  return results;
}

}  // namespace kgate::verdict
