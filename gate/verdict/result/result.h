#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "gate/lint/finding.h"
#include "gate/sanitize/finding.h"
#include "gate/verdict/result/attribution.h"
#include "gate/verdict/result/verdict.h"
#include "gate/verdict/result/version_diff.h"

// The result of a run as types; result.json (schema kgate.result/1) is its other form, and every report is a pure
// function of it.
namespace kgate::verdict {

// Of the policy, as it held for a case of that length: 0.02 is 2 %.
struct Zone {
  double tolerate = 0, block = 0;
};

struct Timing {
  double base_us = 0, candidate_us = 0;
  double ratio = 1, low = 1, high = 1;  // candidate over base; low and high bound it at the run's error level
  double p95_ratio = 1;
  std::int64_t blocks = 0, rounds = 0, dropped = 0, launches_per_sample = 0;
  std::int64_t checked = 0;  // timed samples whose outputs were compared with what was checked
  std::string regime;        // "graph", "batch" or "single"
  std::optional<double> gbps, gflops;
  std::optional<Zone> zone;
  std::vector<std::string> trace;  // why it stopped, look by look
};

struct Numerics {
  double max_abs = 0, max_rel = 0, rms = 0, bias = 0;
  std::int64_t mismatched = 0;
  std::int64_t elements = 0;                  // of the output; 0: not told
  std::vector<std::uint64_t> first_mismatch;  // index, one number a dimension; empty: none
  double first_expected = 0, first_got = 0;
  std::optional<double> base_rms;
};

// A case's times beside one earlier version.
struct CaseComparison {
  std::string against;  // as in Comparison
  Verdict verdict = Verdict::pass;
  std::string reason;
  bool timed = false;  // not where code and launches are equal
  double before_us = 0, candidate_us = 0;
  double ratio = 1, low = 1, high = 1;
  std::optional<Zone> zone;
};

struct CaseResult {
  std::string name, role;
  std::map<std::string, std::int64_t> sizes;
  Verdict verdict = Verdict::pass;
  std::string reason;  // empty where it passes without a word
  std::optional<Timing> time;
  std::vector<CaseComparison> comparisons;   // beside each version; `time` is that of the first
  std::map<std::string, Numerics> numerics;  // by output
};

struct Comparison {
  std::string against;  // "base", "accepted", "last-release"
  std::string commit;
  std::int64_t sequence = 0;            // of the ledger's record; 0: none
  std::string device_class;             // that the record was measured on; empty: none
  std::vector<std::string> signers;     // of the record: key files
  std::string release;                  // that the record is; empty: none
  std::string artifact = "recompiled";  // or "recorded": the ledger's own machine code
  double ratio = 1, low = 1, high = 1;  // weighted geometric mean over the performance cases
  Verdict verdict = Verdict::pass;
  // False where nothing was timed: the ratio is 1 for want of another.
  bool timed() const { return low != 1 || high != 1; }
};

struct Location {
  std::string file;  // from the repository's root
  std::int64_t line = 0;
};

struct KernelResult {
  std::string name, path;
  std::optional<Location> location;  // where its first entry is defined; none: not found
  Verdict verdict = Verdict::pass;
  std::string reason;
  bool blocks = false;  // the profile lets this verdict end the run with its exit code
  std::string code;     // "changed", "unchanged", "new"; empty where it did not compile
  std::string sources_digest, code_digest, cases_digest;
  std::int64_t cases_revision = 0;
  std::vector<std::string> cases_signers;  // key files; empty: not signed
  std::vector<Comparison> comparisons;
  std::vector<std::string> not_compared;  // of `unchanged`: accepted versions of other code, which nothing was timed
                                          // beside: "accepted (record 3)"
  std::optional<ResourceUse> candidate, base;
  std::string compiler_log;  // where it did not compile, or warned
  std::string source_diff;   // unified, against the base; empty: equal
  std::vector<std::string> option_changes, launch_changes;
  std::optional<MachineCode> machine_code;     // against the base; none: equal, not changed, or not asked
  std::map<std::string, double> error_growth;  // by output: against the base, the geometric mean over the cases
  std::vector<VersionDiff> accepted_diffs;     // against what was accepted
  std::vector<CaseResult> cases;
  std::vector<std::string> causes;         // of `regressed`: "change", "creep", "toolkit", "machine"
  std::optional<Attribution> attribution;  // where it was timed
  lint::Findings lint;                     // of the candidate's sources and machine code
  std::vector<std::string> warnings;       // "cases.toml differs from the base's, which count"
  std::string seed;                        // of its shard; empty: the run's
  std::string device_uuid;                 // of the GPU of several that it ran on; empty: the run's
};

// One of several GPUs that a run was spread over.
struct DeviceUse {
  std::string name, uuid;
  std::int64_t kernels = 0;
  double seconds = 0, wait_s = 0;
  Json environment = Json::object();  // as the run's
};

// What a search for a better version found, that the run began because a kernel regressed ([search] on_regression). It
// changes no verdict.
struct SearchFound {
  std::string kernel;
  bool better = false;   // found, and confirmed by the gate
  std::string headline;  // a sentence
  std::string folder;    // with journal, summary and report; as --out was typed
  std::string patch;     // best.patch; empty: there is none, or it is too large to be carried here
};

struct Result {
  std::string verb = "run";            // or "check": nothing was timed
  std::vector<std::string> selection;  // as typed; empty: all kernels
  std::string started;                 // ISO 8601, UTC
  double seconds = 0;
  std::string profile = "pr", backend;
  Verdict verdict = Verdict::missing;
  int exit_code = 6;
  std::string reason;
  std::string tool_version, tool_commit;
  std::string source_commit, source_base;
  bool source_dirty = false;
  std::string policy_ref, policy_commit, policy_digest;
  std::string ledger_commit, ledger_digest;  // of its newest record; empty: there is no ledger
  std::int64_t ledger_sequence = 0;
  Json fingerprint = Json::object();
  std::string device_class, device_name, device_uuid;
  std::vector<DeviceUse> devices;  // where there were several; then device_uuid and environment are the first one's
  std::string sandbox = "none";
  std::string seed;  // hex, printed so that a run can be repeated
  std::int64_t shard_index = 1, shard_total = 1;
  std::vector<std::string> shard_planned;  // the kernels of all shards; empty: not split
  std::string shard_plan;                  // digest of which shard has which; empty: not told
  std::vector<std::string> warnings;       // said loudly: an implied base, unsigned cases, a smaller pool
  std::vector<KernelResult> kernels;
  std::optional<sanitize::Summary> sanitizer;  // with --sanitize
  std::vector<SearchFound> searches;
  Json environment = Json::object();  // clocks, temperature, power, throttle_reasons[], other_processes, dropped, cause
  double compile_s = 0, check_s = 0, time_s = 0, wait_s = 0, total_s = 0;
  double idle_s = 0;  // of check_s: the device waited for code, after the first kernel had it
};

Json to_json(const Result& result);
// Throws Error(usage, subject, ...) for anything that is not a kgate.result/1, naming the key.
Result result_from_json(const Json& json, const std::string& subject);

}  // namespace kgate::verdict
