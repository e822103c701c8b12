#include "gate/verdict/time_phase.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "gate/verdict/check/long_steps.h"
#include "gate/verdict/outcome.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::verdict {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Plan {
  std::vector<std::size_t> subjects;
  std::vector<TimeJob> jobs;  // of each
  std::int64_t cases = 0;
};

Plan plan_timing(RunState& state) {
  Plan plan;
  for (std::size_t i = 0; i < state.subjects().size(); ++i) {
    auto& kernel = state.kernel(i);
    if (state.concluded[i] != 0 || !state.to_be_timed(kernel) ||
        !(passes(kernel.verdict) || kernel.verdict == Verdict::regressed))
      continue;
    TimeJob job{&state.subjects()[i], state.ready.artifacts[i].candidate, state.references(i, kernel),
                state.answers[i]};
    if (job.references.empty()) {
      kernel.verdict = Verdict::inconclusive;
      const std::string& log = state.baselines[i].front().code->log;
      kernel.reason = fmt::format("right, but the base version does not compile here ({}): nothing to compare with",
                                  log.substr(0, log.find('\n')));
      state.concluded[i] = 1;
      continue;
    }
    const auto cases = cases_for(state.subjects()[i], state.result.backend);
    const auto count =
        std::count_if(cases.begin(), cases.end(), [](auto* one) { return one->role == cases::CaseRole::performance; });
    if (count == 0) {
      kernel.warnings.emplace_back("no performance case: checked, not timed");
      continue;
    }
    plan.cases += count;
    plan.subjects.push_back(i);
    plan.jobs.push_back(std::move(job));
  }
  return plan;
}

TimeOptions options_for(const RunState& state) {
  TimeOptions timing;
  timing.backend = state.result.backend;
  timing.seed = state.options.seed;
  timing.threads = state.options.threads;
  timing.budget = state.ready.policy().budget;
  timing.pool_bytes = state.ready.pool_bytes();
  timing.share_processes = state.share_processes();
  timing.apart = state.options.time_unchanged;
  timing.shards = state.options.shard.total * state.options.lane.total * state.options.tried;
  timing.alone = state.result.backend == "cuda";  // the host's absolute times say nothing
  timing.watch = state.ready.watch.get();
  timing.round_spread = state.ready.machine.round_spread;
  return timing;
}

void add_timed(RunState& state, std::size_t subject, const TimedKernel& timed) {
  KernelResult& kernel = state.kernel(subject);
  kernel.comparisons.clear();
  kernel.not_compared.clear();
  for (const auto& baseline : state.baselines[subject]) {
    if (baseline.code->status == runner::Compiled::Status::ok && baseline.against != kToolkit)
      kernel.comparisons.push_back(comparison_with(baseline));
  }
  add_times(kernel, state.subjects()[subject], timed.cases);
  add_parts(kernel, timed.parts);
  for (const auto& one : timed.cases) state.judgement.samples.push_back({kernel.name, one.name, one.arms, one.us});
  kernel.warnings.insert(kernel.warnings.end(), timed.warnings.begin(), timed.warnings.end());
  state.settle(subject);
  if (timed.failure.empty()) return;
  kernel.verdict = worst({kernel.verdict, Verdict::environment});
  if (kernel.verdict == Verdict::environment) kernel.reason = timed.failure;
}

}  // namespace

void time_kernels(RunState& state, const Explanation& explanation) {
  const auto start = Clock::now();
  const Plan plan = plan_timing(state);
  for (std::size_t i = 0; i < state.result.kernels.size(); ++i) {
    if (std::find(plan.subjects.begin(), plan.subjects.end(), i) == plan.subjects.end())
      state.finish(state.result.kernels[i]);
  }
  if (plan.subjects.empty()) return;
  state.progress.phase("time", static_cast<int>(plan.cases));
  LongSteps running(kLongStep, [&](const std::string& what) {
    const std::lock_guard guard(state.lock);
    state.progress.slow(what, kFirstLimit);
  });
  TimeOptions timing = options_for(state);
  timing.on_case = [&](const std::string& kernel, const std::string& one) {
    running.begin(0, kernel + ": " + one);
    const std::lock_guard guard(state.lock);
    state.progress.step(kernel + ": " + one);
  };
  const auto timed = time_suite(plan.jobs, timing, state.children());
  running.end(0);
  for (std::size_t n = 0; n < plan.subjects.size(); ++n) {
    const std::size_t subject = plan.subjects[n];
    add_timed(state, subject, timed[n]);
    KernelResult& kernel = state.kernel(subject);
    explanation.name_record(kernel, state.subjects()[subject]);
    if (!explanation.wanted(kernel, state.subjects()[subject])) state.finish(kernel);
  }
  state.result.time_s = seconds_since(start);
}

void explain_kernels(RunState& state, const Explanation& explanation) {
  const auto start = Clock::now();
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < state.subjects().size(); ++i) {
    if (state.concluded[i] == 0 && explanation.wanted(state.kernel(i), state.subjects()[i])) open.push_back(i);
  }
  if (open.empty()) return;
  state.progress.phase("explain", static_cast<int>(open.size()));
  for (const auto i : open) {
    state.progress.step(state.subjects()[i].name);
    explanation.measure(state.kernel(i), state.subjects()[i]);
    state.finish(state.kernel(i));
  }
  state.result.time_s += seconds_since(start);
}

}  // namespace kgate::verdict
