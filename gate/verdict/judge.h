#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/exit_code.h"
#include "base/interrupt.h"
#include "fingerprint/compute_sanitizer.h"
#include "fingerprint/nsight_compute.h"
#include "fingerprint/toolkit.h"
#include "gate/lease/lease.h"
#include "gate/trust/base_commit.h"
#include "gate/trust/policy.h"
#include "gate/verdict/result/progress.h"
#include "gate/verdict/result/result.h"
#include "gate/verdict/subject/shards.h"
#include "runner/sandbox.h"

namespace kgate::verdict {

// How a run comes to its device, which others on this host want too (gate/lease).
struct Queueing {
  std::filesystem::path folder;             // empty: the policy's, else the host's own
  std::string job;                          // whose run it is, for those who wait: a CI job's URL, a command
  std::string inherited;                    // KGATE_LEASE: what a parent process may hold already
  std::optional<lease::Priority> priority;  // nothing: by the profile
};

struct JudgeOptions {
  std::filesystem::path repository;
  trust::BaseRequest base;
  std::vector<std::string> selection;  // kernels; empty: all
  Shard shard;                         // the part of the selection that this run judges; not with `candidate`
  Shard lane;                          // the part of that which this device judges, of several of one host
  std::string profile = "pr";
  std::string backend = "auto";  // "auto", "cuda", "host"
  std::string device;            // index or UUID
  Queueing queue;
  std::vector<std::string> compare;  // with which versions; empty: as the profile says
  std::string renamed_from;          // the kernel that the only selected one goes on from
  // A commit (40 hex digits) whose version of the one selected kernel is judged in place of the working tree's, by the
  // base commit's cases, whatever cases it has itself, and without what the ledger has accepted; empty: none.
  std::string candidate;
  // Files of the one selected kernel in place of the working tree's, which it is then compared with in place of the
  // base: what a search found. Empty: the working tree is judged.
  std::map<std::string, std::string> in_place;
  // What the working tree's version has to be then, files and kernel.toml: what the search began with.
  std::map<std::string, std::string> in_place_of;
  std::int64_t tried = 1;       // of how many versions it is the best: each had its chance to look good
  bool committed_only = false;  // refuse, before any work, what differs from HEAD
  bool check_only = false;      // correctness only, no timing
  bool searching = false;       // for a search: what it finds goes through the gate later, as who checks at a desk does
  bool sanitize = false;        // correctness cases under compute-sanitizer too
  bool time_unchanged = false;  // time kernels whose machine code is the base's too
  bool fetch_ledger = false;    // with git, from the policy's remote: in a CI job
  std::map<std::string, std::string> environment;  // for git: the caller's, whole
  std::uint64_t seed = 0;
  unsigned threads = 1;
  std::filesystem::path runner;  // the kgate-runner program
  // The most that its children are put under; the policy says what is the least.
  runner::SandboxLevel sandbox = runner::SandboxLevel::landlock;
  std::filesystem::path cache;  // compiled code; empty: none
  fingerprint::Toolkit toolkit;
  std::string disassembler;                 // nvdisasm's path; empty: none, machine code is not compared
  fingerprint::ComputeSanitizer sanitizer;  // with `sanitize`
  fingerprint::NsightCompute counters;      // for a search; without a path: none, its counters are not read
  std::filesystem::path state;              // where doctor --noise keeps the machine's record; empty: nowhere
  std::string version, commit;              // of this kgate
  const Interrupt* interrupt = nullptr;
};

// Raw times of a kernel's case, for samples/.
struct CaseSamples {
  std::string kernel, name;
  std::vector<std::string> arms;                     // "candidate", "base"
  std::vector<std::vector<std::vector<double>>> us;  // [round][arm][block]
};

struct Judgement {
  Result result;
  std::vector<CaseSamples> samples;
  std::vector<std::string> finished;  // kernels whose verdict is final
  std::vector<std::string> unproven;  // that were to be sanitized and were not: they block, whatever the profile says
  trust::Profile profile;             // what blocks; empty until the policy was read
  bool new_blocks = true;
  bool search_on_regression = false;  // the policy wants a search for what regressed
};

// The gate, as "A run, in the order of the data" of docs/architecture.md. Fills `judgement` as it goes, so that what is
// known survives an Error or an interruption; seal() then makes it a valid, partial result. Throws Error for failures
// of the world; findings about kernels are in the result.
// What is to be done with all that a run has made ready, after its last kernel.
class Preparation;
using Afterwards = std::function<void(Preparation&)>;

void judge(const JudgeOptions& options, Progress& progress, Judgement& judgement, const Afterwards& afterwards = {});

// The run's verdict, reason and exit code from its kernels. `error`: what ended the run early, or null; kernels that
// were not finished are then `environment`, never a pass, and the exit code is the error's.
void seal(Judgement& judgement, const Error* error, int signal);

}  // namespace kgate::verdict
