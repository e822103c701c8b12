#include "gate/verdict/check_phase.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/parallel.h"
#include "gate/verdict/check/correctness.h"
#include "gate/verdict/outcome.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::verdict {
namespace {

// Kernels checked at once: each needs two processes, and contexts start one after the other.
constexpr unsigned kMaxCheckers = 4;

}  // namespace

CheckPhase::CheckPhase(RunState& state)
    : state_(state), workers_(std::clamp(state.options.threads / 2, 1u, kMaxCheckers)) {}

// Contexts are made one after the other, 0.13 s each on an H200, while code is compiled.
void CheckPhase::start_processes() {
  for (std::size_t i = 0; i < workers_; ++i) {
    for (auto* processes : {&trusted_, &candidates_}) {
      processes->emplace_back(state_.ready.child);
      if (state_.share_processes()) processes->back().start_ahead();
    }
  }
}

void CheckPhase::run(Compilation& code) {
  const auto start = std::chrono::steady_clock::now();
  start_processes();
  code.wait_for_first();
  int steps = 0;
  for (const auto& subject : state_.subjects())
    steps += static_cast<int>(cases_for(subject, state_.result.backend).size());
  state_.progress.phase("check", steps);
  LongSteps running(kLongStep, [&](const std::string& what) {
    const std::lock_guard guard(state_.lock);
    state_.progress.slow(what, CheckOptions{}.run_limit_s);
  });
  const auto workers = static_cast<unsigned>(workers_);
  for_each_parallel(workers_, workers, [&](std::size_t, unsigned worker) {
    try {
      while (const auto subject = code.next()) check(*subject, worker, running);
    } catch (...) {
      code.stop();
      throw;
    }
  });
  // The next processes open the device while these close it, all at once: 0.1 s each on an H200.
  const bool timing =
      !state_.options.check_only && std::any_of(state_.answers.begin(), state_.answers.end(),
                                                [](const auto& known) { return known && !known->empty(); });
  if (timing) state_.children().start();
  for_each_parallel(workers_, workers, [&](std::size_t n, unsigned) {
    trusted_[n].replace();
    candidates_[n].replace();
  });
  state_.result.idle_s = code.idle_s();
  state_.result.check_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void CheckPhase::check(std::size_t index, unsigned worker, LongSteps& running) {
  state_.describe(index);
  if (state_.concluded[index] != 0) return;
  const Subject& subject = state_.subjects()[index];
  const Artifacts& arms = state_.ready.artifacts[index];
  CheckOptions options;
  options.child = state_.ready.child;
  options.seed = state_.options.seed;
  options.threads = std::max(1u, state_.options.threads / static_cast<unsigned>(workers_));
  options.on_case = [&](const std::string& name) {
    running.begin(worker, subject.name + ": " + name);
    const std::lock_guard guard(state_.lock);
    state_.progress.step(subject.name + ": " + name);
  };
  const bool compare_base =
      state_.kernel(index).code == "changed" && arms.base && arms.base->status == runner::Compiled::Status::ok;
  if (!state_.share_processes()) candidates_[worker].replace();
  candidates_[worker].start_ahead();
  state_.guarded(index, [&](KernelResult& kernel) {
    KernelAnswers answers;
    KernelResult scratch = kernel;
    const auto versions = state_.references(index, scratch);
    if (!state_.options.check_only && state_.to_be_timed(kernel)) {
      options.on_passed = [&](PassedCase passed) {
        if (passed.spec.role != cases::CaseRole::performance) return;
        const AnswerJob job{&subject,       &trusted_[worker], &candidates_[worker],
                            arms.candidate, arms.reference,    &versions};
        answers.insert_or_assign(
            passed.spec.name,
            find_answers(job, std::move(passed), {options.child, options.seed, options.threads, options.run_limit_s}));
      };
    }
    const KernelCheck found = check_kernel({&subject, &trusted_[worker], &candidates_[worker], arms.candidate,
                                            arms.reference, compare_base ? arms.base : nullptr},
                                           options);
    const bool all_right = std::all_of(found.cases.begin(), found.cases.end(),
                                       [](const auto& one) { return one.verdict == Verdict::pass; });
    if (!all_right) answers.clear();
    add_check(kernel, found);
    for (auto& one : kernel.cases) {
      const auto known = answers.find(one.name);
      if (known == answers.end()) continue;
      for (const auto& note : known->second.notes)
        kernel.warnings.push_back(fmt::format("case \"{}\", on further inputs: {}", one.name, note));
      if (known->second.wrong.empty()) continue;
      one.verdict = Verdict::wrong;
      one.reason = known->second.wrong;
    }
    state_.settle(index);
    state_.answers[index] = std::make_shared<const KernelAnswers>(std::move(answers));
  });
  running.end(worker);
}

}  // namespace kgate::verdict
