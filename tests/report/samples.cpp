#include "tests/report/samples.h"

#include <limits>
#include <stdexcept>
#include <utility>

#include "base/exit_code.h"

namespace {

using namespace kgate::verdict;

Result run() {
  Result result;
  result.started = "2025-03-04T05:06:07Z";
  result.seconds = result.total_s = 6.25;
  result.compile_s = 0.5;
  result.check_s = 1.25;
  result.time_s = 4.25;
  result.wait_s = 0.25;
  result.backend = "cuda";
  result.tool_version = "0.1.0";
  result.tool_commit = "0123456789";
  result.source_commit = std::string(40, 'c');
  result.source_base = result.policy_commit = std::string(40, 'b');
  result.policy_ref = "origin/main";
  result.policy_digest = "sha256:" + std::string(64, 'd');
  result.fingerprint = {{"driver", {{"version", "580.65.06"}}}};
  result.device_class = "0123456789abcdef";
  result.device_name = "NVIDIA H200";
  result.device_uuid = "GPU-00000000-0000-0000-0000-000000000000";
  result.sandbox = "landlock";
  result.seed = "00000000deadbeef";
  return result;
}

KernelResult kernel(const std::string& name, Verdict verdict, const std::string& code = "changed") {
  KernelResult result;
  result.name = name;
  result.path = "kernels/" + name + "/kernel.toml";
  result.verdict = verdict;
  result.code = code;
  result.sources_digest = "sha256:" + std::string(64, '1');
  result.code_digest = "sha256:" + std::string(64, '2');
  result.cases_digest = "sha256:" + std::string(64, '3');
  return result;
}

CaseResult checked(const std::string& name, Verdict verdict = Verdict::pass, const std::string& reason = {}) {
  CaseResult one;
  one.name = name;
  one.role = "correctness";
  one.sizes = {{"cols", 37}, {"rows", 31}};
  one.verdict = verdict;
  one.reason = reason;
  Numerics y;
  y.max_abs = 1e-7;
  y.max_rel = 2.5e-6;
  y.rms = 2e-8;
  y.elements = 1147;
  y.base_rms = 2e-8;
  one.numerics["y"] = y;
  return one;
}

CaseResult timed(const std::string& name, Verdict verdict, double base_us, double ratio,
                 const std::string& reason = {}) {
  CaseResult one = checked(name, verdict, reason);
  one.role = "performance";
  one.sizes = {{"cols", 4096}, {"rows", 8192}};
  Timing time;
  time.base_us = base_us;
  time.candidate_us = base_us * ratio;
  time.ratio = ratio;
  time.low = ratio - 0.002;
  time.high = ratio + 0.002;
  time.p95_ratio = ratio;
  time.blocks = 24;
  time.rounds = 2;
  time.launches_per_sample = 40;
  time.regime = "graph";
  time.gbps = 268.4e3 / time.candidate_us;
  time.trace = {"look 1: 24 blocks"};
  one.time = time;
  return one;
}

void compare(KernelResult& result, double ratio, Verdict found) {
  Comparison one;
  one.against = "base";
  one.commit = std::string(40, 'b');
  one.ratio = ratio;
  one.low = ratio - 0.002;
  one.high = ratio + 0.002;
  one.verdict = found;
  result.comparisons.push_back(one);
}

KernelResult unchanged(const std::string& name) {
  KernelResult result = kernel(name, Verdict::unchanged, "unchanged");
  result.cases = {checked("odd"), checked("wide")};
  compare(result, 1, Verdict::unchanged);
  return result;
}

KernelResult passing(const std::string& name, Verdict verdict, double ratio) {
  KernelResult result = kernel(name, verdict);
  result.cases = {checked("odd"), checked("empty"), timed("wide", verdict, 88.5, ratio),
                  timed("tall", verdict, 5.25, ratio)};
  compare(result, ratio, verdict);
  return result;
}

void blocked(Result& result, KernelResult bad, const std::string& reason) {
  bad.reason = reason;
  result.verdict = bad.verdict;
  result.exit_code = static_cast<int>(exit_code_of(bad.verdict));
  result.reason = bad.name + ": " + reason;
  result.kernels.push_back(std::move(bad));
}

Result all_pass() {
  Result result = run();
  result.verdict = Verdict::pass;
  result.exit_code = 0;
  result.kernels = {passing("softmax", Verdict::pass, 1.0015), unchanged("saxpy"), unchanged("transpose")};
  return result;
}

Result all_unchanged() {
  Result result = run();
  result.verdict = Verdict::pass;
  result.exit_code = 0;
  for (const char* name : {"gemm_f16", "layernorm", "prefix_sum", "reduction", "saxpy", "sgemm_tiled", "softmax",
                           "stencil_3d", "transpose"}) {
    result.kernels.push_back(unchanged(name));
  }
  result.kernels.back().not_compared = {"accepted (record 3)"};
  return result;
}

Result faster() {
  Result result = run();
  result.verdict = Verdict::pass;
  result.exit_code = 0;
  result.kernels = {passing("softmax", Verdict::faster, 0.75), unchanged("saxpy")};
  return result;
}

Result regressed() {
  Result result = run();
  const std::string reason = "slower than the base version by at least 5.9 %; the policy tolerates 0.5 %";
  KernelResult bad = kernel("softmax", Verdict::regressed);
  bad.cases = {checked("odd"), timed("wide", Verdict::regressed, 88.5, 1.061, reason),
               timed("tall", Verdict::pass, 5.25, 1.001)};
  compare(bad, 1.031, Verdict::regressed);
  bad.candidate = ResourceUse{64, 8192, 128, 4096};
  bad.base = ResourceUse{40, 8192, 0, 3072};
  bad.option_changes = {"+ --maxrregcount=64"};
  bad.launch_changes = {"- softmax<256> grid [rows, 1, 1] block [256, 1, 1] shared 0",
                        "+ softmax<512> grid [rows, 1, 1] block [512, 1, 1] shared 0"};
  bad.source_diff = "--- a/softmax.cu\n+++ b/softmax.cu\n";
  using kgate::disassembly::Kind;
  bad.machine_code = MachineCode{"",
                                 {{Kind::global_load, 8}, {Kind::fp32, 190}, {Kind::other, 214}},
                                 {{Kind::global_load, 8},
                                  {Kind::local_load, 12},
                                  {Kind::local_store, 12},
                                  {Kind::fp32, 152},
                                  {Kind::fp64, 38},
                                  {Kind::other, 264}}};
  bad.error_growth["y"] = 1.31;
  result.kernels = {unchanged("saxpy")};
  blocked(result, bad, "case \"wide\": " + reason);
  result.environment = {{"clocks", {{"sm_mhz", {{"min", 1755}, {"max", 1980}}}}},
                        {"temperature", {{"min", 41}, {"max", 41}}},
                        {"power", {{"min", 118250}, {"max", 691000}}},
                        {"throttle_reasons", {"sw_power_cap"}},
                        {"other_processes", 0},
                        {"dropped", 0},
                        {"cause", ""}};
  return result;
}

// Even with the base, slower than what was accepted.
Result creep() {
  Result result = run();
  result.ledger_commit = std::string(40, 'd');
  result.ledger_digest = "sha256:" + std::string(64, 'e');
  result.ledger_sequence = 12;
  const std::string reason = "than the accepted version: slower by 4.10 % [+3.90, +4.30], 2.0 % is tolerated";
  KernelResult bad = kernel("softmax", Verdict::regressed);
  bad.cases = {checked("odd"), timed("wide", Verdict::regressed, 88.5, 1.002, reason)};
  bad.cases[1].comparisons = {
      {"base", Verdict::pass, "", true, 88.5, 88.677, 1.002, 1, 1.004, Zone{0.005, 0.02}},
      {"accepted", Verdict::regressed, reason, true, 85.184, 88.677, 1.041, 1.039, 1.043, Zone{0.015, 0.03}},
      {"last-release", Verdict::unchanged, "", false, 0, 0, 1, 1, 1, {}}};
  compare(bad, 1.002, Verdict::pass);
  compare(bad, 1.041, Verdict::regressed);
  bad.comparisons.back().against = "accepted";
  bad.comparisons.back().sequence = 11;
  bad.comparisons.back().device_class = "3f2a9c0d1b7e4455";
  bad.comparisons.back().artifact = "recorded";
  bad.comparisons.back().signers = {"keys/release.pub.pem"};
  bad.comparisons.back().release = "v1.4";
  bad.candidate = bad.base = ResourceUse{40, 8192, 0, 3072};
  const std::string why_not = "nvdisasm, which cuobjdump needs too, is not installed";
  bad.machine_code = MachineCode{why_not, {}, {}};
  VersionDiff accepted;
  accepted.against = "accepted";
  accepted.sequence = 11;
  accepted.source = "--- a/softmax.cu\n+++ b/softmax.cu\n";
  accepted.options = {"- --use_fast_math"};
  accepted.launch = {"- softmax<512> grid [rows, 1, 1] block [512, 1, 1] shared 0",
                     "+ softmax<256> grid [rows, 1, 1] block [256, 1, 1] shared 0"};
  accepted.resources = ResourceUse{32, 8192, 0, 2816};
  accepted.machine_code = MachineCode{why_not, {}, {}};
  accepted.error_growth["y"] = 0.5;
  accepted.fingerprint = std::vector<kgate::fingerprint::Difference>{
      {"driver", "version", "570.133.20", "580.65.06", "times may change either way"},
      {"state", "temperature_c", "41", "44", "the moment's; near the slowdown temperature clocks fall"}};
  bad.accepted_diffs = {accepted};
  blocked(result, bad, "case \"wide\": " + reason);
  return result;
}

// A new toolkit made it slower, the driver something, and the change nothing.
Result toolkit() {
  Result result = run();
  result.profile = "release";
  KernelResult slow = kernel("softmax", Verdict::regressed);
  const std::string reason =
      "by the toolkit alone the accepted version is slower by 3.01 % [+2.90, +3.12], 0.5 % is tolerated";
  slow.cases = {checked("odd"), timed("wide", Verdict::regressed, 88.5, 1.0008, reason)};
  compare(slow, 1.0008, Verdict::pass);
  slow.causes = {"toolkit"};
  slow.blocks = true;
  auto& why = slow.attribution.emplace();
  why.since = "v1.4 (record 12)";
  why.toolkit_before = "13.0.88";
  why.toolkit_after = "13.1.20";
  why.change = {1.0008, 0.9995, 1.0021, "", Verdict::pass};
  why.merged = {1, 1, 1, "", Verdict::pass};
  why.toolkit = {1.0301, 1.029, 1.0312, "", Verdict::regressed};
  why.machine = {1.004, 0.996, 1.012, "", Verdict::pass};
  why.machine_differences = {"driver.version: 580.82 -> 580.95", "state.temperature_c: 41 -> 63"};
  KernelResult passes = passing("saxpy", Verdict::pass, 1.001);
  passes.attribution = why;
  passes.attribution->toolkit = {0.98, 0.979, 0.981, "", Verdict::pass};
  passes.attribution->machine = {};
  passes.attribution->machine.unknown = "not measured";
  result.kernels = {passes};
  blocked(result, slow, "case \"wide\": " + reason);
  return result;
}

Result preapproved() {
  Result result = run();
  result.verdict = Verdict::pass;
  result.exit_code = 0;
  result.ledger_commit = std::string(40, 'd');
  result.ledger_digest = "sha256:" + std::string(64, 'e');
  result.ledger_sequence = 12;
  KernelResult meant = kernel("softmax", Verdict::preapproved);
  meant.reason = "accepted by record 12 (keys/release.pub.pem): half the memory (case \"wide\": slower by 6.1 %)";
  meant.cases = {checked("odd"), timed("wide", Verdict::regressed, 88.5, 1.061, "slower by 6.1 %")};
  compare(meant, 1.061, Verdict::regressed);
  compare(meant, 1.062, Verdict::regressed);
  meant.comparisons.back().against = "accepted";
  meant.comparisons.back().sequence = 11;
  meant.comparisons.back().device_class = "3f2a9c0d1b7e4455";
  meant.comparisons.back().artifact = "recorded";
  meant.cases_signers = {"keys/reviewers.pub.pem"};
  meant.cases_revision = 3;
  result.kernels = {unchanged("saxpy"), meant};
  return result;
}

CaseResult wrong_case(const std::string& name, const std::string& reason) {
  CaseResult one = checked(name, Verdict::wrong, reason);
  Numerics& y = one.numerics["y"];
  y.mismatched = 12;
  y.first_mismatch = {3, 17};
  y.first_expected = 0.0123;
  y.first_got = 0.0456;
  y.max_rel = 0.21;
  y.max_abs = 0.0333;
  return one;
}

Result wrong() {
  Result result = run();
  KernelResult bad = kernel("softmax", Verdict::wrong);
  const std::string reason = "\"y\": 12 of 1147 elements are outside the tolerance";
  bad.cases = {wrong_case("odd", reason)};
  for (const char* name : {"wide", "tall", "one", "empty", "huge"}) bad.cases.push_back(wrong_case(name, reason));
  bad.cases[1].numerics["y"].first_got = std::numeric_limits<double>::quiet_NaN();
  bad.cases[1].numerics["y"].max_rel = std::numeric_limits<double>::infinity();
  bad.cases[2].numerics["y"].elements = 0;
  KernelResult slow = passing("transpose", Verdict::regressed, 1.12);
  slow.reason = "slower than the base version";
  result.kernels = {slow};
  blocked(result, bad, "case \"odd\": " + reason);
  return result;
}

Result sanitized() {
  Result result = run();
  const std::string what = "Invalid __global__ read of size 4 bytes, by thread (31,0,0) in block (30,0,0)";
  const std::string reason = "memcheck: kernels/softmax/softmax.cu:12: " + what + " (32 times)";
  KernelResult bad = kernel("softmax", Verdict::wrong);
  bad.cases = {checked("odd", Verdict::wrong, reason), checked("wide")};
  bad.lint = {{"device_variables", ".nv.global", "table, 1024 bytes", true},
              {"device_variables", ".nv.global", "counter, 4 bytes", false},
              {"device_launches", "kernels/softmax/softmax.cu:20", "child<<<1, 32>>>(x);", false}};
  for (int i = 0; i < 4; ++i)
    bad.lint.push_back({"device_variables", ".nv.global.init", "seen" + std::to_string(i) + ", 4 bytes", false});
  result.kernels = {unchanged("saxpy")};
  result.sanitizer = kgate::sanitize::Summary{true, "2025.3.1.0", "seccomp", {"memcheck", "racecheck"}, {}};
  result.sanitizer->findings = {
      {"memcheck", "invalid_read", "error", "softmax", "odd", "kernels/softmax/softmax.cu", 12, what, 32}};
  blocked(result, bad, "case \"odd\": " + reason);
  return result;
}

Result no_sanitizer() {
  Result result = run();
  result.verdict = Verdict::environment;
  result.exit_code = 5;
  result.reason = "--sanitize: compute-sanitizer was not found in PATH nor beside the CUDA toolkit; install it";
  result.sanitizer.emplace();
  result.seed.clear();
  return result;
}

Result suspect() {
  Result result = run();
  KernelResult bad = kernel("reduction", Verdict::suspect);
  const std::string reason = "3.1 µs to move 256 MiB: faster than the memory of this GPU";
  bad.cases = {checked("odd"), timed("wide", Verdict::suspect, 88.5, 0.035, reason)};
  compare(bad, 0.035, Verdict::suspect);
  blocked(result, bad, "case \"wide\": " + reason);
  return result;
}

Result inconclusive() {
  Result result = run();
  KernelResult bad = kernel("sgemm_tiled", Verdict::inconclusive);
  const std::string reason = "between -1.2 % and +3.9 % after 2400 blocks and 5 s";
  bad.cases = {timed("wide", Verdict::inconclusive, 236.1, 1.0135, reason)};
  compare(bad, 1.0135, Verdict::inconclusive);
  blocked(result, bad, "case \"wide\": " + reason);
  result.exit_code = 0;  // the profile pr does not block on it
  result.warnings = {"no CI and no --policy-ref: HEAD, bbbbbbbbbb"};
  return result;
}

Result environment() {
  Result result = run();
  result.verdict = Verdict::environment;
  result.exit_code = 5;
  result.reason =
      "driver 535.54: the policy wants [environment] driver = \">=550\"; update the driver, or run on another machine";
  result.device_name = "NVIDIA H200";
  result.seed.clear();
  return result;
}

Result missing() {
  Result result = run();
  KernelResult gone = kernel("transpose", Verdict::missing, "");
  gone.sources_digest = gone.code_digest = gone.cases_digest = "";
  result.kernels = {unchanged("saxpy")};
  blocked(result, gone, "the base bbbbbbbbbb (origin/main) has it, this tree does not");
  return result;
}

Result fresh() {
  Result result = run();
  KernelResult added = kernel("rmsnorm", Verdict::fresh, "new");
  added.cases = {checked("odd"), checked("wide")};
  result.kernels = {unchanged("saxpy")};
  blocked(result, added, "right; neither the base nor the ledger knows it");
  return result;
}

Result compile_failure() {
  Result result = run();
  KernelResult bad = kernel("softmax", Verdict::wrong, "");
  bad.code_digest = "";
  bad.compiler_log =
      "kernels/softmax/softmax.cu(12): error: identifier \"row\" is undefined\n"
      "    y[row * cols + i] = x[i];\n"
      "      ^\n\n"
      "1 error detected in the compilation of \"kernels/softmax/softmax.cu\".\n";
  result.kernels = {unchanged("saxpy")};
  blocked(result, bad, "does not compile");
  return result;
}

Result nothing_selected() {
  Result result = run();
  result.reason = "no kernel was judged";
  result.seed.clear();
  return result;
}

Result interrupted() {
  Result result = run();
  result.verdict = Verdict::environment;
  result.exit_code = 130;
  result.reason = "interrupted: by SIGINT";
  KernelResult open = kernel("softmax", Verdict::environment, "");
  open.reason = "not finished: interrupted: by SIGINT";
  result.kernels = {passing("saxpy", Verdict::pass, 0.9985), open};
  return result;
}

Result hostile() {
  Result result = run();
  KernelResult bad = kernel("softmax", Verdict::wrong, "");
  bad.name = "soft\x1b[2J\x1b]0;title\x07max";
  bad.path = "kernels/it's; rm -rf ~/kernel.toml";
  bad.compiler_log =
      "::error file=a.cu::everything is fine\n"
      "   ::set-output name=verdict::pass\n"
      "##[error]no\n##vso[task.complete result=Succeeded]done\n##teamcity[buildStatus status='SUCCESS']\n"
      "std::max and a##b stay as they are\n"
      "overwritten\rkgate: pass (exit code 0)\n"
      "bytes \xff\xfe and a turn \u202Etxet\u202C and nothing\u200Bseen\n";
  bad.warnings = {"a line\n::warning::break"};
  bad.lint = {{"device_launches", "k\x1b[2J.cu:1", "a<<<1>>>();\n::error::x", false}};
  CaseResult one = checked("c\tase\n::error::x", Verdict::wrong, "reason\n\x1b[31mred\x1b[0m");
  bad.cases = {one};
  blocked(result, bad, "does not\ncompile \u009b31m");
  result.device_name = "NVIDIA\x1b[0m H200";
  return result;
}

}  // namespace

std::string golden_suffix(const std::string& format) {
  if (format == "text") return ".txt";
  if (format == "json") return ".json";
  if (format == "markdown") return ".md";
  if (format == "github") return ".github.txt";
  if (format == "gitlab") return ".gitlab.txt";
  if (format == "junit") return ".junit.xml";
  if (format == "metrics") return ".prom";
  if (format == "codequality") return ".codequality.json";
  return {};  // "comment" is Markdown of another length
}

std::vector<Sample> samples() {
  return {{"all-pass", all_pass()},
          {"unchanged", all_unchanged()},
          {"faster", faster()},
          {"regressed", regressed()},
          {"toolkit", toolkit()},
          {"creep", creep()},
          {"preapproved", preapproved()},
          {"wrong", wrong()},
          {"sanitized", sanitized()},
          {"no-sanitizer", no_sanitizer()},
          {"suspect", suspect()},
          {"inconclusive", inconclusive()},
          {"environment", environment()},
          {"missing", missing()},
          {"new", fresh()},
          {"compile-failure", compile_failure()},
          {"nothing-selected", nothing_selected()},
          {"interrupted", interrupted()},
          {"hostile", hostile()}};
}

Result sample(const std::string& name) {
  for (const Sample& one : samples()) {
    if (one.name == name) return one.result;
  }
  throw std::logic_error("no sample " + name);
}

std::vector<std::string> page_samples() {
  return {"all-pass", "regressed", "creep", "toolkit", "wrong", "hostile"};
}
