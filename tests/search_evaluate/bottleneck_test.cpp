// What the gate as a judge of candidates tells of the best one, with scripts in the place of a GPU and Nsight Compute.
#include "gate/search/evaluate/bottleneck.h"

#include <filesystem>
#include <string>

#include "base/file.h"
#include "fingerprint/toolkit.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/fake_nsight_compute.h"
#include "tests/support/skip.h"

using namespace kgate;

namespace {

constexpr const char* kPerformanceCase = R"(
[[case]]
name = "fast"
role = "performance"
sizes = { n = 4096 }
inputs = { x = { normal = [0.0, 1.0] } }
seed = "fresh"
tolerance = { y = { rtol = 1e-6 } }
)";

class Silent : public verdict::Progress {
 public:
  void phase(const std::string&, int) override {}
  void step(const std::string&) override {}
  void slow(const std::string&, double) override {}
  void done(const verdict::KernelResult&) override {}
  void note(const std::string&) override {}
  void wait(const std::string&) override {}
};

class Bench {
  TemporaryFolder folder_{"kgate-test"};
  CliFixture repository_;

 public:
  Bench() {
    const auto cases = repository_.root() / "kernels/scale/cases.toml";
    repository_.write("kernels/scale/cases.toml", std::string(text_of(read_file(cases, 1 << 20))) + kPerformanceCase);
    repository_.commit("a performance case");
    write_file_atomic(folder_.path() / "cuda/lib64/libnvrtc.so.13.0.0", std::string_view(""));
    const auto runner = folder_.path() / "kgate-runner";
    write_file_atomic(runner, std::string_view("#!/bin/sh\nfor word; do\n  shift\n  [ \"$word\" = cuda ] && word=host\n"
                                               "  set -- \"$@\" \"$word\"\ndone\nexec \"" KGATE_RUNNER "\" \"$@\"\n"));
    std::filesystem::permissions(runner, std::filesystem::perms::owner_all);
    options.repository = repository_.root();
    options.base.policy_ref = "main";
    options.selection = {"scale"};
    options.backend = "cuda";
    options.queue.folder = folder_.path() / "queue";
    options.environment = repository_.environment;
    options.seed = 1;
    options.runner = runner;
    options.toolkit = fingerprint::find_toolkit({(folder_.path() / "cuda").string(), "", ""});
    options.counters = {tool.program().string(), "2025.3.1.0", ""};
  }

  FakeNsightCompute tool{folder_.path() / "bin"};
  verdict::JudgeOptions options;
  Silent progress;
};

// The gate as the judge of a search, as one begins it.
struct Evaluating {
  explicit Evaluating(Bench& bench)
      : ready(bench.options, bench.progress, judgement), evaluator(bench.options, read()) {}

  verdict::Judgement judgement;
  verdict::Preparation ready;
  search::GateEvaluator evaluator;

 private:
  verdict::Preparation& read() {
    ready.read_policy();
    return ready;
  }
};

// As if it had been timed.
search::Evaluation timed() {
  search::Evaluation found;
  found.cases.push_back({"fast", 1, 12.5, 12.5, 0, 1, 1, 1});
  return found;
}

// The kernel's name in the machine code of a version.
std::string report_of(const std::string& symbol) {
  std::string text = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  for (const char* metric : {"sm__throughput.avg.pct_of_peak_sustained_elapsed",
                             "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
                             "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"})
    text += "\"0\",\"" + symbol + "\",\"" + metric + "\",\"%\",\"12.00\"\n";
  return text;
}

}  // namespace

TEST_CASE(
    "the best version's bottleneck is told by counters where they can be read, and on paper with the reason else") {
  if (fingerprint::find_toolkit({}).host_compiler.empty()) KGATE_SKIP("no C++ compiler was found on this machine");
  Bench bench;
  SECTION("by counters") {
    Evaluating evaluating(bench);
    auto& evaluator = evaluating.evaluator;
    bench.tool.report(report_of(evaluator.ready().artifacts.front().candidate->symbols.at("scale")));
    const auto found = search::bottleneck_of(evaluator, timed(), evaluator.baseline());
    INFO(found.text);
    CHECK(
        found.text.starts_with("from the GPU's performance counters (Nsight Compute 2025.3.1.0): In case \"fast\": "
                               "\"scale\" is latency bound: "
                               "compute throughput 12.0 %, memory 12.0 %, DRAM 12.0 % of the peaks; left out: achieved "
                               "occupancy (missing), "));
    CHECK(found.gpu_s > 0);
    CHECK(bench.tool.starts().size() == 1);
    // The evaluator goes on, with processes of its own.
    const double ever = 1e9;
    const auto& baseline = evaluator.baseline();
    CHECK(evaluator.evaluate(baseline, {baseline, {}}, {ever, ever}).outcome == search::Outcome::better);
  }
  SECTION("on paper, where the driver does not permit it") {
    Evaluating evaluating(bench);
    auto& evaluator = evaluating.evaluator;
    bench.tool.report("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n");
    const auto found = search::bottleneck_of(evaluator, timed(), evaluator.baseline());
    INFO(found.text);
    CHECK(found.text.starts_with(
        "no hardware counters were read: the driver does not let this user read performance counters (load the nvidia "
        "module with NVreg_RestrictProfilingToAdminUsers=0, or give kgate CAP_PERFMON, which drivers from 565 on "
        "accept); from times and the work that cases.toml says: fast: 12.5 us;"));
  }
  SECTION("on paper, without Nsight Compute") {
    bench.options.counters = {};
    Evaluating evaluating(bench);
    auto& evaluator = evaluating.evaluator;
    const auto found = search::bottleneck_of(evaluator, timed(), evaluator.baseline());
    INFO(found.text);
    CHECK(found.text.starts_with(
        "no hardware counters were read: Nsight Compute (ncu) was not found in PATH nor in the CUDA "
        "toolkit's bin; from times and the work that cases.toml says: fast: 12.5 us;"));
    CHECK(found.gpu_s == 0);
  }
  SECTION("a version that cannot be run") {
    Evaluating evaluating(bench);
    auto& evaluator = evaluating.evaluator;
    auto files = evaluator.baseline().files;
    files["kernels/scale/scale.cu"] = "no kernel";
    const auto found = evaluator.count(search::make_candidate(files, evaluator.baseline().path));
    CHECK(found.text == "");
    CHECK(found.why_not.starts_with("this version cannot be run: "));
  }
}
