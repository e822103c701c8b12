#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/exit_code.h"
#include "base/interrupt.h"
#include "fingerprint/toolkit.h"
#include "gate/trust/base_commit.h"
#include "gate/trust/policy.h"
#include "gate/verdict/progress.h"
#include "gate/verdict/result.h"

namespace kgate::verdict {

struct JudgeOptions {
  std::filesystem::path repository;
  trust::BaseRequest base;
  std::vector<std::string> selection;  // kernels; empty: all
  std::string profile = "pr";
  std::string backend = "auto";  // "auto", "cuda", "host"
  std::string device;            // index or UUID
  bool check_only = false;       // correctness only, no timing
  std::uint64_t seed = 0;
  unsigned threads = 1;
  std::filesystem::path runner;  // the kgate-runner program
  std::filesystem::path cache;   // compiled code; empty: none
  fingerprint::Toolkit toolkit;
  std::filesystem::path state;  // where doctor --noise keeps the machine's record; empty: nowhere
  std::string version, commit;  // of this kgate
  const Interrupt* interrupt = nullptr;
};

// Raw times of a kernel's case, for samples/.
struct CaseSamples {
  std::string kernel, name;
  std::vector<std::vector<std::vector<double>>> us;  // [round][arm][block]; arm 0 is the candidate, arm 1 the base
};

struct Judgement {
  Result result;
  std::vector<CaseSamples> samples;
  std::vector<std::string> finished;  // kernels whose verdict is final
  trust::Profile profile;             // what blocks; empty until the policy was read
  bool new_blocks = true;
};

// The gate, as design.md's "A run, in the order in which the data flows". Fills `judgement` as it goes, so that what is
// known survives an Error or an interruption; seal() then makes it a valid, partial result. Throws Error for failures
// of the world; findings about kernels are in the result.
void judge(const JudgeOptions& options, Progress& progress, Judgement& judgement);

// The run's verdict, reason and exit code from its kernels. `error`: what ended the run early, or null; kernels that
// were not finished are then `environment`, never a pass, and the exit code is the error's.
void seal(Judgement& judgement, const Error* error, int signal);

}  // namespace kgate::verdict
