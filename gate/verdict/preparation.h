#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "fingerprint/nvml.h"
#include "gate/trust/authority.h"
#include "gate/verdict/compile/baseline.h"
#include "gate/verdict/compile/compiler.h"
#include "gate/verdict/judge.h"
#include "gate/verdict/subject/subject.h"
#include "gate/verdict/timing/machine_record.h"
#include "gate/verdict/timing/watch.h"
#include "runner/scratch.h"

namespace kgate::verdict {

// How code is compiled for the device that `child` opens.
CompilerOptions compiler_options_for(const JudgeOptions& options, const runner::ClientOptions& child,
                                     const runner::DeviceInfo& device, double timeout_s);

// What comes before anything of a kernel runs, step by step, in the order of docs/architecture.md: policy, setting,
// kernels, compile. Fills the result's head as it goes; what later steps work with is public. Throws Error for failures
// of the world.
class Preparation {
 public:
  Preparation(const JudgeOptions& options, Progress& progress, Judgement& judgement)
      : options_(options), progress_(progress), judgement_(judgement), result_(judgement.result) {}

  void read_policy();  // with keys and ledger, before anything of the change is read
  // The machine, against the policy's rules: what can be known of it while others measure on the device; then the
  // device for this run alone.
  void look_at_machine();
  bool take_device();
  void read_setting();  // both
  // Nothing of this run touches the device any more: the next in the queue may. Throws Error(environment) where
  // somebody else may have had it meanwhile.
  void leave_device();
  // Between the two: whether NVML tells enough of the device to compile for it. Whether that was true, take_device()
  // says; where it was not, kernels have to be read and compiled again.
  bool expects_device() const { return !device.architecture.empty(); }
  void read_kernels();
  void compile();
  // The same, saying of each subject when all that it needs is there; from several threads.
  void compile(const std::function<void(std::size_t subject)>& on_ready);
  CompilerOptions compiler_options() const;
  void warn(const std::string& line);
  const trust::Policy& policy() const { return authority.policy; }
  // What a kernel is compared with.
  std::vector<Baseline> baselines(std::size_t subject) const;
  // The most that a case's pool of places may take.
  std::uint64_t pool_bytes() const;

  trust::Authority authority;
  std::optional<trust::Ledger> ledger;
  std::shared_ptr<const FileTree> working;
  std::unique_ptr<fingerprint::Nvml> nvml;
  std::unique_ptr<Watch> watch;
  std::optional<runner::Scratch> scratch;  // of the children: what a killed one leaves goes with it
  runner::ClientOptions child;
  runner::DeviceInfo device;
  MachineRecord machine;
  lease::Lease hold;  // on the device; of nothing on the host, where nobody asked for it
  Suite suite;
  std::vector<Artifacts> artifacts;  // of each subject

 private:
  void read_backend();
  void read_ledger();
  void read_change();
  void put_in_place();
  void choose_part(SuiteOptions& wanted);
  void warn_unsigned();
  void check_committed() const;
  void take_lease();
  void name_strangers(const fingerprint::GpuState& state);
  void expect_device();
  void open_device();
  void read_sandbox(const runner::SandboxReport& report);
  const std::vector<std::string>& compare() const;
  std::optional<fingerprint::GpuState> watch_gpu(unsigned index);

  const JudgeOptions& options_;
  Progress& progress_;
  Judgement& judgement_;
  Result& result_;
  unsigned index_ = 0;  // of the GPU, as NVML counts
  std::string uuid_;    // what the device is leased by
};

}  // namespace kgate::verdict
