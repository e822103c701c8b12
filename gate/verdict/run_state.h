#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "gate/verdict/check/answers.h"
#include "gate/verdict/compile/baseline.h"
#include "gate/verdict/judge.h"
#include "gate/verdict/preparation.h"
#include "gate/verdict/timing/experiment.h"

namespace kgate::verdict {

// What the phases of one run work on, and what each leaves to the next: by subject, in the suite's order. A kernel is
// worked on by one thread at a time; `lock` is for what they share: the list of kernels, progress, samples.
struct RunState {
  RunState(const JudgeOptions& options_, Progress& progress_, Judgement& judgement_)
      : options(options_), progress(progress_), judgement(judgement_), result(judgement_.result) {}

  const JudgeOptions& options;
  Progress& progress;
  Judgement& judgement;
  Result& result;
  Preparation ready{options, progress, judgement};
  std::mutex lock;
  std::vector<std::vector<Baseline>> baselines;
  std::vector<std::shared_ptr<const KernelAnswers>> answers;
  std::vector<char> concluded;         // nothing more is done for this kernel
  std::optional<ChildPool> children_;  // for timing

  const std::vector<Subject>& subjects() const { return ready.suite.subjects; }
  KernelResult& kernel(std::size_t subject) { return result.kernels[subject]; }
  // On a GPU, where a process's start is dear and a kernel cannot reach the process itself; on the host a kernel is
  // native code.
  bool share_processes() const { return result.backend == "cuda"; }
  ChildPool& children();

  // A place for each kernel, with its name; anew where the kernels were read anew.
  void list_kernels();
  // What is known once its code is there. What cannot go on is concluded.
  void describe(std::size_t subject);
  // The versions to time a candidate against, less those that do not compile here.
  std::vector<Reference> references(std::size_t subject, KernelResult& kernel) const;
  bool to_be_timed(const KernelResult& kernel) const {
    return kernel.code == "changed" || (options.time_unchanged && kernel.code == "unchanged");
  }
  // What all that is known about a kernel comes to.
  void settle(std::size_t subject);
  // A failure of the machine while one kernel is worked on is that kernel's `environment`; the rest of the suite goes
  // on.
  void guarded(std::size_t subject, const std::function<void(KernelResult&)>& work);
  // Its verdict is final.
  void finish(const KernelResult& kernel);

 private:
  void judge_compilation(std::size_t subject);
};

}  // namespace kgate::verdict
