#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "fingerprint/nvml.h"
#include "gate/trust/repository.h"
#include "gate/verdict/compiler.h"
#include "gate/verdict/judge.h"
#include "gate/verdict/machine_record.h"
#include "gate/verdict/subject.h"
#include "gate/verdict/watch.h"

namespace kgate::verdict {

// A kernel's code: the candidate's, the base's (null: the base does not know it), the reference's (null: it has none).
struct Artifacts {
  Artifact candidate, base, reference;
};

// How code is compiled for the device that `child` opens.
CompilerOptions compiler_options_for(const JudgeOptions& options, const runner::ClientOptions& child,
                                     const runner::DeviceInfo& device, double timeout_s);

// What comes before anything of a kernel runs, step by step, in design.md's order: policy, setting, kernels, compile.
// Fills the result's head as it goes; what later steps work with is public. Throws Error for failures of the world.
class Preparation {
 public:
  Preparation(const JudgeOptions& options, Progress& progress, Judgement& judgement)
      : options_(options), progress_(progress), judgement_(judgement), result_(judgement.result) {}

  void read_policy();   // before anything of the change is read
  void read_setting();  // the machine, against the policy's rules; opens the device once
  void read_kernels();
  void compile();
  CompilerOptions compiler_options() const;
  void warn(const std::string& line);

  std::unique_ptr<trust::Repository> repository;
  trust::BaseCommit base;
  std::shared_ptr<const FileTree> base_tree, working;
  trust::Policy policy;
  std::unique_ptr<fingerprint::Nvml> nvml;
  std::unique_ptr<Watch> watch;
  TemporaryFolder scratch{"kgate"};  // of the children: what a killed one leaves goes with it
  runner::ClientOptions child;
  runner::DeviceInfo device;
  MachineRecord machine;
  Suite suite;
  std::vector<KernelResult> vanished;
  std::vector<Artifacts> artifacts;  // of each subject

 private:
  std::optional<fingerprint::GpuState> watch_gpu(unsigned index);

  const JudgeOptions& options_;
  Progress& progress_;
  Judgement& judgement_;
  Result& result_;
};

}  // namespace kgate::verdict
