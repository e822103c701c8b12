#include "gate/verdict/judge.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/verdict/check_phase.h"
#include "gate/verdict/compilation.h"
#include "gate/verdict/explanation.h"
#include "gate/verdict/machine_code.h"
#include "gate/verdict/outcome.h"
#include "gate/verdict/result/consistency.h"
#include "gate/verdict/run_state.h"
#include "gate/verdict/sanitize_phase.h"
#include "gate/verdict/time_phase.h"
#include "gate/verdict/version_diff.h"

namespace kgate::verdict {
namespace {

class Judge {
 public:
  Judge(const JudgeOptions& options, Progress& progress, Judgement& judgement) : state_(options, progress, judgement) {}

  void run(const Afterwards& afterwards) {
    // However it ends, the times so far are told.
    struct Total {
      std::chrono::steady_clock::time_point start;
      Result& result;
      ~Total() {
        result.seconds = result.total_s =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      }
    } total{std::chrono::steady_clock::now(), state_.result};
    Preparation& ready = state_.ready;
    ready.read_policy();
    ready.look_at_machine();
    CheckPhase check(state_);
    compile_and_take_device(check.workers());
    // One of several GPUs, and fewer kernels than GPUs.
    if (state_.subjects().empty() && state_.options.lane.total > 1) return;
    check.run(*compilation_);
    compilation_.reset();
    if (state_.options.sanitize) sanitize_kernels(state_);
    if (!state_.options.check_only) {
      time_kernels(state_, explanation_);
      explain_kernels(state_, explanation_);
    }
    if (!afterwards) {
      state_.children_.reset();
      ready.leave_device();
    }
    complete_diffs();
    for (auto& kernel : state_.result.kernels) state_.finish(kernel);
    if (afterwards) afterwards(ready);
    ready.watch->look();
    state_.result.environment = ready.watch->summary();
  }

 private:
  // The device is taken while others' code is compiled: nobody waits for it longer than need be, and it waits for
  // nobody.
  void compile_and_take_device(std::size_t consumers) {
    Preparation& ready = state_.ready;
    bool as_expected = false;
    if (ready.expects_device()) {
      start_compiling(consumers);
      compilation_->wait_for_first();
      if (state_.subjects().empty() && state_.options.lane.total > 1) return;
      as_expected = ready.take_device();
    } else {
      ready.take_device();
    }
    if (!as_expected) start_compiling(consumers);
  }

  void start_compiling(std::size_t consumers) {
    compilation_.reset();
    // What the first reading warned of, the second does again.
    if (!warned_) warned_ = state_.result.warnings.size();
    state_.result.warnings.resize(*warned_);
    state_.ready.read_kernels();
    state_.list_kernels();
    state_.progress.phase("compile", static_cast<int>(state_.subjects().size()));
    compilation_.emplace(state_.ready, consumers);
  }

  // What a reviewer asks beyond the verdict. On the host there is no machine code to compare: it is the CPU's.
  void complete_diffs() {
    const Preparation& ready = state_.ready;
    for (std::size_t i = 0; i < state_.subjects().size(); ++i)
      add_error_growth(state_.kernel(i), state_.subjects()[i], ready.artifacts[i].base.get(), state_.baselines[i]);
    if (state_.options.check_only || state_.result.backend != "cuda") return;
    add_machine_code(state_.result.kernels, ready.artifacts, state_.baselines,
                     {ready.compiler_options().child, state_.options.disassembler, state_.options.threads});
  }

  RunState state_;
  Explanation explanation_{state_.options, state_.ready, state_.judgement};
  std::optional<std::size_t> warned_;       // how many warnings there were before kernels were read
  std::optional<Compilation> compilation_;  // the last member: it works on all others
};

}  // namespace

void judge(const JudgeOptions& options, Progress& progress, Judgement& judgement, const Afterwards& afterwards) {
  Judge(options, progress, judgement).run(afterwards);
}

void seal(Judgement& judgement, const Error* error, int signal) {
  Result& result = judgement.result;
  if (error != nullptr) {
    for (auto& kernel : result.kernels) {
      if (std::find(judgement.finished.begin(), judgement.finished.end(), kernel.name) != judgement.finished.end())
        continue;
      kernel.verdict = Verdict::environment;
      kernel.reason = fmt::format("not finished: {}", error->what());
    }
    const ExitCode code = exit_code_of(error->kind(), signal);
    result.exit_code = static_cast<int>(code);
    result.verdict = code == ExitCode::untrusted ? Verdict::untrusted
                     : code == ExitCode::missing ? Verdict::missing
                                                 : Verdict::environment;
    result.reason = error->what();
    return;
  }
  std::vector<Verdict> all, blocking;
  for (auto& kernel : result.kernels) {
    all.push_back(kernel.verdict);
    const auto& unproven = judgement.unproven;
    kernel.blocks = blocks(kernel, judgement.profile, judgement.new_blocks) ||
                    std::find(unproven.begin(), unproven.end(), kernel.name) != unproven.end();
    if (kernel.blocks) blocking.push_back(kernel.verdict);
  }
  if (is_empty_shard(result)) {
    result.verdict = Verdict::pass;
    result.exit_code = static_cast<int>(ExitCode::pass);
    const auto planned = result.shard_planned.size();
    result.reason = fmt::format("shard {} of {} has no kernel: {} {} planned", result.shard_index, result.shard_total,
                                planned, planned == 1 ? "kernel was" : "kernels were");
    return;
  }
  result.verdict = all.empty() ? Verdict::missing : worst(all);
  result.exit_code = static_cast<int>(all.empty()        ? ExitCode::missing
                                      : blocking.empty() ? ExitCode::pass
                                                         : exit_code_of(worst(blocking)));
  result.reason = all.empty() ? "no kernel was judged" : "";
  for (const auto& kernel : result.kernels) {
    if (kernel.verdict == result.verdict && !passes(kernel.verdict)) {
      result.reason = fmt::format("{}: {}", kernel.name, kernel.reason);
      break;
    }
  }
}

}  // namespace kgate::verdict
