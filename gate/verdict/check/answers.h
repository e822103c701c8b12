#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gate/stats/decision.h"
#include "gate/verdict/check/correctness.h"
#include "gate/verdict/check/worker.h"
#include "gate/verdict/compile/arms.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::verdict {

// An earlier version that the candidate is compared with, or another earlier version in its place.
struct Reference {
  std::string against;  // "base", "accepted", "last-release", kToolkit
  Artifact artifact;
  cases::VersionSpec version;
  stats::Zone zone;
  bool recorded = false;                  // its machine code is what the ledger recorded
  std::optional<std::size_t> other = {};  // the reference that is compared with it; nothing: the candidate is
};

using Digests = std::map<std::uint32_t, std::string>;  // by buffer: runner::digest_of_looked

// An output that may differ from run to run, as the cases' reference has it.
struct ExpectedOutput {
  DType dtype = DType::f32;  // the reference may be wider
  SharedMemory content;
};

// What is known of a timed case before it is timed, from processes that time nothing. Timed samples are compared with
// it. Variants are the contents of the inputs: 0 the one that was checked, the further ones secret.
struct CaseAnswers {
  std::uint64_t looks = 0;                       // TimeJob::looks: where digests were taken
  std::vector<Digests> inputs;                   // [variant]
  std::vector<Digests> candidate;                // [variant]: outputs that must not differ
  std::vector<Digests> wholes;                   // [variant]: digest_of_whole of inputs and those outputs
  std::vector<std::vector<Digests>> references;  // [reference][variant]
  std::vector<std::map<std::uint32_t, ExpectedOutput>> may_differ;  // [variant]; empty where too large to keep
  std::vector<std::string> notes;                                   // what went well at a second try alone
  std::string wrong;  // the candidate's answer to one of the further contents; empty: all are right
};

using KernelAnswers = std::map<std::string, CaseAnswers>;  // by case

struct AnswerJob {
  const Subject* subject = nullptr;
  CheckProcess* trusted = nullptr;  // for references and earlier versions
  CheckProcess* own = nullptr;      // for the candidate
  Artifact candidate, reference;    // reference: null where cases bring their expected outputs
  const std::vector<Reference>* references = nullptr;
};

struct AnswerOptions {
  runner::ClientOptions child;  // of a process that a failure is tried again in
  std::uint64_t seed = 0;       // of the run
  unsigned threads = 1;
  double run_limit_s = 60;
};

// Runs the versions to compare with on every variant of a case that the candidate passed, candidate and reference on
// the further ones. An output of an earlier version that two runs on differently poisoned memory do not agree about has
// no digest: nothing is asked of it. Throws Error(environment) for what the machine does wrong.
CaseAnswers find_answers(const AnswerJob& job, PassedCase passed, const AnswerOptions& options);

}  // namespace kgate::verdict
