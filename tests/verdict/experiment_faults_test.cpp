// The experiment where processes end, the driver fails, or its answers are nonsense: a table of what is said of each.
#include <algorithm>

#include "tests/support/errors.h"
#include "tests/verdict/experiment_bench.h"

using namespace kgate;
using verdict::Verdict;

namespace {

bool has(const std::vector<std::string>& lines, const std::string& beginning) {
  return std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.starts_with(beginning); });
}

verdict::TimedKernel timed(const std::string& fields) {
  ExperimentBench bench;
  bench.fields = fields;
  return bench.time();
}

}  // namespace

TEST_CASE("a process that ends once while it times is replaced, and what is found is that of the others") {
  for (const char* fields : {":dies=1", ":dies=2", ":killed=1", ":killed=2"}) {
    INFO(fields);
    const auto kernel = timed(fields);
    CHECK(kernel.failure.empty());
    CHECK(kernel.cases.front().verdict == Verdict::pass);
    CHECK(has(kernel.warnings, "case \"one\": tried twice: while it was timed, at first the kernel crashed (SIG"));
  }
}

TEST_CASE(
    "a process that ends twice is the candidate's doing where the base is timed well alone, and else the machine's") {
  const auto wrong = timed(":killed=1+2").cases.front();
  CHECK(wrong.verdict == Verdict::wrong);
  CHECK(wrong.reason ==
        "while it was timed beside the base: the kernel crashed (SIGKILL), in two processes; without it the base is "
        "timed "
        "well");
  const auto machine = timed(":killed=1+2+3").cases.front();
  CHECK(machine.verdict == Verdict::environment);
  CHECK(machine.reason ==
        "tried twice: while it was timed: the kernel crashed (SIGKILL); without the candidate: the kernel crashed "
        "(SIGKILL)");
}

TEST_CASE("a failure of the machine while it times is tried again once, and named") {
  const auto once = timed(":fails=2");
  CHECK(once.failure.empty());
  CHECK(once.cases.front().verdict == Verdict::pass);
  CHECK(has(once.warnings, "tried twice: at first cuda driver: cuEventSynchronize failed with CUDA_ERROR_ECC"));
  const auto twice = timed(":fails=1+2");
  CHECK(twice.failure.starts_with(
      "cuda driver: tried twice: cuEventSynchronize failed with CUDA_ERROR_ECC_UNCORRECTABLE"));
}

TEST_CASE("times that cannot be are a failure of the machine and never a ratio") {
  struct Row {
    const char* lie;
    const char* words;
  };
  const Row rows[] = {
      {"nan", "measured times: tried twice: say that a launch took nan us"},
      {"inf", "measured times: tried twice: say that a launch took inf us"},
      {"zero", "measured times: tried twice: say that a launch took 0 us"},
      {"negative", "measured times: tried twice: say that a launch took -3 us"},
      {"long", "measured times: tried twice: come to 4.00001e+06 ms of launches, in "},
      {"many", "measured times: tried twice: have 8 samples of a version, 7 were asked for"},
  };
  for (const auto& [lie, words] : rows) {
    INFO(lie);
    const auto twice = timed(std::string(":lies=1+2:lie=") + lie);
    INFO(twice.failure);
    CHECK(twice.failure.starts_with(words));
    CHECK(twice.failure.find("the driver or a clock is broken") != std::string::npos);
    for (const auto& round : twice.cases.front().us) {
      for (const auto& samples : round) CHECK(samples.empty());
    }
    const auto once = timed(std::string(":lies=1:lie=") + lie);
    CHECK(once.failure.empty());
    CHECK(once.cases.front().verdict == Verdict::pass);
    CHECK(once.cases.front().comparisons.front().timing.ratio == Approx(1));
  }
}

TEST_CASE("an answer with an arm too few is nonsense, not a time") {
  CHECK(timed(":short=1").failure.starts_with("measured times: tried twice: are of 1 versions, 2 were asked for"));
}

TEST_CASE("what a process leaves out of the samples that it is to show is kgate's own failure, and passes nothing") {
  const auto shown = [](const std::string& fields) {
    ExperimentBench bench;
    bench.checked = true;
    bench.fields = fields;
    return bench.time().cases.front();
  };
  CHECK(shown("").verdict == Verdict::pass);
  const auto failure = [&](const std::string& left) { return error_of([&] { shown(":left=" + left); }); };
  CHECK(failure("samples") == "internal: kgate-runner: did not check the samples that it was asked for");
  const std::string incomplete = "internal: kgate-runner: left an output out of the samples that it was asked to check";
  CHECK(failure("digests") == incomplete);
  // Once a regime all of an output is asked for.
  CHECK(failure("wholes") == incomplete);
  const auto other = shown(":left=other");
  CHECK(other.verdict == Verdict::wrong);
  CHECK(other.reason.find("while it was timed") != std::string::npos);
}

TEST_CASE("a device without room for further inputs is not a fault of the kernel's") {
  const auto kernel = timed(":variants=0");
  CHECK(kernel.cases.front().verdict == Verdict::pass);
  const auto& trace = kernel.cases.front().comparisons.front().timing.trace;
  CHECK(has(trace, "not timed on fresh inputs: no room for 2 variants of the inputs"));
}

TEST_CASE("what happens to one kernel of a suite does not happen to the next") {
  ExperimentBench bench;
  bench.fields = ":fails=1+2";
  const auto kernels = bench.time_all(3);
  const auto failed =
      std::count_if(kernels.begin(), kernels.end(), [](const auto& one) { return !one.failure.empty(); });
  CHECK(failed <= 1);
  for (const auto& kernel : kernels) {
    if (kernel.failure.empty()) CHECK(kernel.cases.front().verdict == Verdict::pass);
  }
}
