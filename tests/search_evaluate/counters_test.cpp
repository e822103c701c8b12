// From a version to what it waits for, with a script in the place of Nsight Compute and the CPU in the place of a GPU.
#include "gate/search/evaluate/counters.h"

#include <map>
#include <memory>

#include <fmt/format.h>

#include "base/file.h"
#include "base/memory_tree.h"
#include "fingerprint/toolkit.h"
#include "gate/cases/job.h"
#include "gate/counters/counter.h"
#include "tests/support/catch.h"
#include "tests/support/fake_nsight_compute.h"
#include "tests/support/skip.h"

using namespace kgate;
using search::Counted;

namespace {

constexpr const char* kCases = R"(schema = "kgate.cases/1"
kernel = "k"
revision = 1
[[param]]
name = "y"
kind = "out"
dtype = "i32"
shape = ["n"]
[reference]
sources = ["r.cu"]
entry = "r"
grid = [1, 1, 1]
block = [32, 1, 1]
[[case]]
name = "right"
role = "correctness"
sizes = { n = 32 }
[[case]]
name = "fast"
role = "performance"
sizes = { n = 32 }
[[case]]
name = "cold"
role = "performance"
cache = "cold"
sizes = { n = 32 }
[[case]]
name = "third"
role = "performance"
sizes = { n = 32 }
)";

std::map<std::string, std::string> files(const std::string& cases) {
  return {{"kernels/k/kernel.toml",
           "schema = \"kgate.kernel/1\"\nkind = \"cuda\"\nsources = [\"k.cu\"]\n[[launch]]\nentry = \"k\"\n"
           "grid = [1, 1, 1]\nblock = [32, 1, 1]\n"},
          {"kernels/k/cases.toml", cases},
          {"kernels/k/k.cu", "__global__ void k(int* y) { y[threadIdx.x] = threadIdx.x; }\n"},
          {"kernels/k/r.cu", "__global__ void r(int*) {}"}};
}

// A report in which one kernel moves data and nothing else, without most of the further counters.
std::string report_of(const std::string& kernel, const std::string& dram = "85.5") {
  std::string text =
      "==PROF== Connected to process 7 (/usr/bin/kgate-runner)\n"
      "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  const auto add = [&](const counters::Counter& counter, const std::string& value) {
    text += fmt::format("\"0\",\"{}\",\"{}\",\"{}\",\"{}\"\n", kernel, counter.metric, counter.unit, value);
  };
  add(counters::kCompute, "20.1");
  add(counters::kMemory, "90.2");
  add(counters::kDram, dram);
  add(counters::kDuration, "54,048");
  add({"lts__t_sector_hit_rate.pct", "%", ""}, "50.78");
  return text;
}

class Bench {
  TemporaryFolder folder_{"kgate-test"};

 public:
  explicit Bench(const std::string& cases = kCases) {
    std::map<std::string, Bytes> bytes;
    for (const auto& [path, content] : files(cases)) bytes[path] = bytes_of(content);
    const auto tree = std::make_shared<MemoryTree>(std::move(bytes), "working tree");
    trust::Policy policy;
    policy.unsigned_blocks = false;
    const trust::Keyring no_keys;
    verdict::SuiteOptions suite;
    suite.working = suite.base = tree;
    suite.base_name = "base";
    suite.policy = &policy;
    suite.keyring = &no_keys;
    suite_ = verdict::read_suite(suite);
    options.program = {tool.program().string(), "2025.3.1.0", ""};
    options.child.backend = "cuda";
    options.child.runner = cpu_for_gpu();
    options.scratch = folder_.path();
    options.start_limit_s = options.end_limit_s = 60;
  }

  const verdict::Subject& subject() const { return suite_.subjects.at(0); }

  verdict::Artifact code() const {
    const auto toolkit = fingerprint::find_toolkit({});
    verdict::CompilerOptions compiler;
    compiler.child.runner = KGATE_RUNNER;
    compiler.child.backend = "host";
    compiler.child.compiles = compiler.toolkit = {toolkit.nvrtc, toolkit.include_dirs, toolkit.host_compiler};
    const auto& version = subject().candidate;
    return verdict::compile_all(
               {{&version.spec.sources, &version.files, cases::entries_of(cases::version_of(version.spec))}}, compiler)
        .at(0);
  }

  Counted count() const { return search::count(subject(), code_, options); }
  Counted count_with(const std::string& report) {
    code_ = code();
    tool.report(report);
    return count();
  }
  std::string symbol() const { return code()->symbols.at("k"); }

  FakeNsightCompute tool{folder_.path() / "bin"};
  search::CountOptions options;

 private:
  // A runner that starts the host backend wherever it is asked for CUDA's.
  std::filesystem::path cpu_for_gpu() const {
    const auto runner = folder_.path() / "runner";
    write_file_atomic(runner, std::string_view("#!/bin/sh\nfor word; do\n  shift\n  [ \"$word\" = cuda ] && word=host\n"
                                               "  set -- \"$@\" \"$word\"\ndone\nexec \"" KGATE_RUNNER "\" \"$@\"\n"));
    std::filesystem::permissions(runner, std::filesystem::perms::owner_all);
    return runner;
  }

  verdict::Suite suite_;
  verdict::Artifact code_;
};

bool can_compile() {
  return !fingerprint::find_toolkit({}).host_compiler.empty();
}

}  // namespace

TEST_CASE("the first performance cases are each run once under Nsight Compute, and told in words") {
  if (!can_compile()) KGATE_SKIP("no C++ compiler was found on this machine");
  Bench bench;
  const Counted counted = bench.count_with(report_of(bench.symbol()));
  CHECK(counted.why_not == "");
  CHECK(counted.text.starts_with(
      "from the GPU's performance counters (Nsight Compute 2025.3.1.0): In case \"fast\": \"k\" is bandwidth bound: "
      "compute throughput 20.1 %, memory 90.2 %, DRAM 85.5 % of the peaks; L2 hit rate 50.8 %; left out: "));
  CHECK(counted.text.find(" In case \"cold\": \"k\" is bandwidth bound: ") != std::string::npos);
  CHECK(counted.text.find("third") == std::string::npos);
  CHECK(counted.text.find("right") == std::string::npos);
  CHECK(counted.gpu_s > 0);
  // The child ended by itself; nothing is read from or left in anybody's folder; a cold case is counted cold.
  CHECK(bench.tool.starts() == std::vector<std::string>{"0 own none", "0 own all"});
}

TEST_CASE("what keeps counters from being read is told in a clause, with the remedy where there is one") {
  if (!can_compile()) KGATE_SKIP("no C++ compiler was found on this machine");
  Bench bench;
  SECTION("no permission, in the report") {
    const Counted counted = bench.count_with("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n");
    CHECK(counted.why_not ==
          "the driver does not let this user read performance counters (load the nvidia module with "
          "NVreg_RestrictProfilingToAdminUsers=0, or give kgate CAP_PERFMON, which drivers from 565 on accept)");
    CHECK(counted.text == "");
    CHECK(bench.tool.starts().size() == 1);  // the second case would say the same
  }
  SECTION("no permission, on its own stream") {
    bench.tool.behave("echo '==ERROR== ERR_NVGPUCTRPERM - no permission'\nexit 1\n");
    CHECK(bench.count_with("").why_not.starts_with("the driver does not let this user read performance counters ("));
  }
  SECTION("another error") {
    const Counted counted = bench.count_with("==ERROR== Cuda driver is not compatible with Nsight Compute\n");
    CHECK(counted.why_not == "Nsight Compute failed: \"Cuda driver is not compatible with Nsight Compute\"");
  }
  SECTION("a crash") {
    bench.tool.behave("kill -SEGV $$\n");
    CHECK(bench.count_with("").why_not ==
          "Nsight Compute failed: its report names no kernel; the tool was ended by signal 11");
  }
  SECTION("a report of other kernels") {
    CHECK(bench.count_with(report_of("somebody_elses")).why_not ==
          "Nsight Compute failed: its report has none of the entries");
  }
  SECTION("a throughput that is no number") {
    const Counted counted = bench.count_with(report_of(bench.symbol(), "nan"));
    CHECK(counted.text == "");
    CHECK(counted.why_not == "DRAM throughput of \"k\" is not a number");
  }
  SECTION("a program that is not there") {
    bench.options.program.path = "/nowhere/ncu";
    CHECK(bench.count_with("").why_not.starts_with("Nsight Compute failed: /nowhere/ncu: "));
  }
  SECTION("a program that does not start the child") {
    bench.tool.behave_at_once("sleep 100\n");
    bench.options.start_limit_s = 0.2;
    bench.options.end_limit_s = 0.2;
    CHECK(bench.count_with("").why_not.starts_with("Nsight Compute failed: its report names no kernel; "));
  }
}

TEST_CASE("nothing is started where it could not work") {
  Bench bench;
  SECTION("without Nsight Compute") {
    bench.options.program = {};
    CHECK(bench.count().why_not == "Nsight Compute (ncu) was not found in PATH nor in the CUDA toolkit's bin");
  }
  SECTION("with one that is broken") {
    bench.options.program = {"", "", "/opt/cuda/bin/ncu did not tell its version: no such\nlibrary"};
    CHECK(bench.count().why_not ==
          "Nsight Compute does not start here: /opt/cuda/bin/ncu did not tell its version: no such library");
  }
  SECTION("on the host backend") {
    bench.options.child.backend = "host";
    CHECK(bench.count().why_not == "the host backend has none");
  }
  SECTION("under a policy that wants every child under Landlock") {
    bench.options.needs_landlock = true;
    CHECK(bench.count().why_not ==
          "the policy requires the sandbox landlock, and a child under Nsight Compute has a weaker one");
  }
  CHECK(bench.count().text == "");
  CHECK_FALSE(std::filesystem::exists(bench.tool.program().string() + ".log"));
}
