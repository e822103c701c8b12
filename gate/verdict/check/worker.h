#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/shared_memory.h"
#include "gate/verdict/compile/compiler.h"
#include "gate/verdict/subject/case_data.h"
#include "runner/client.h"

// Running a version's code on a case, once, in a process of the runner.
namespace kgate::verdict {

using Outputs = std::map<std::uint32_t, SharedMemory>;  // by buffer

// What outputs hold before a run. 0xff is NaN in every float type; 0xa5 is not, and catches what would hide behind an
// allowed NaN.
constexpr std::array<std::uint8_t, 2> kPoison{0xff, 0xa5};

// A process that is started when it is first needed, and again after a fault.
class CheckProcess {
 public:
  explicit CheckProcess(runner::ClientOptions options) : options_(std::move(options)) {}
  // Opens the device in the background, so that it is ready when it is needed.
  void start_ahead();
  runner::Client& get();
  void replace() {
    child_.reset();
    used_ = false;
  }
  // How the process that is there ended, if it did: Client::died, Client::killed.
  bool died() const { return child_ && child_->died(); }
  bool killed() const { return child_ && child_->killed(); }
  // Whether a kernel has run in the process that is there; the caller says so.
  bool used() const { return used_; }
  void mark_used() { used_ = true; }
  // Another number after every start: what was loaded before is gone.
  int generation() const { return generation_; }

 private:
  runner::ClientOptions options_;
  std::optional<runner::Client> child_;
  int generation_ = 0;
  bool used_ = false;
};

// One artifact in a process, which others may share.
class Worker {
 public:
  Worker(CheckProcess& process, std::uint32_t arm, Artifact artifact)
      : process_(process), arm_(arm), artifact_(std::move(artifact)) {}

  struct Ran {
    runner::RunReport report;
    Outputs outputs;
    bool died = false, killed = false;  // the process's end in place of an answer: Client::died, Client::killed
  };

  // Loads where needed, places the case unless it was the last one, runs once and fetches the outputs.
  Ran run(const cases::Binding& binding, const CaseInputs& inputs, const std::vector<OutputParam>& outputs,
          std::uint8_t poison, double limit);

  void replace() {
    process_.replace();
    placed_ = nullptr;
  }

  // What comes next has other inputs, or is another case, whatever its binding's address.
  void forget_case() { placed_ = nullptr; }

  // True once this worker's code has run in a process: from then on its own doing cannot be told from the machine's
  // without a control.
  bool has_run() const { return has_run_; }

  // True while buffers and inputs of a case are handed over: where that throws, this is what failed.
  bool placing() const { return placing_; }
  bool process_died() const { return process_.died(); }
  bool process_killed() const { return process_.killed(); }

  const std::map<std::string, runner::Resources>& resources() const { return resources_; }

 private:
  runner::RunOutcome prepare();
  Ran ended(Ran ran);

  CheckProcess& process_;
  std::uint32_t arm_;
  Artifact artifact_;
  const cases::Binding* placed_ = nullptr;
  bool has_run_ = false, placing_ = false;
  int loaded_in_ = 0;
  std::map<std::string, runner::Resources> resources_;
  std::map<std::string, std::vector<std::uint32_t>> parameters_;
};

}  // namespace kgate::verdict
