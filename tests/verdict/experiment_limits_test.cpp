// The experiment where something is in its way: cheats, noise, heat, neighbours, budgets, children that die.
#include <algorithm>
#include <limits>

#include "gate/verdict/outcome.h"
#include "tests/support/errors.h"
#include "tests/verdict/experiment_bench.h"

using namespace kgate;
using verdict::Verdict;

namespace {

std::size_t count(const std::vector<std::string>& lines, const std::string& beginning) {
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [&](const auto& line) { return line.starts_with(beginning); }));
}

}  // namespace

TEST_CASE("an advantage that only repeated inputs have is suspect, and the fresh figure counts") {
  ExperimentBench bench;
  bench.ratio = 0.5;
  bench.fields = ":fresh=1";
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::suspect);
  CHECK(one.reason ==
        "an advantage exists only where inputs repeat: -50.00 % there, +0.00 % [-0.26 %, +0.26 %] on fresh inputs; a "
        "kernel that remembers its inputs skips work");
  const auto& timing = one.comparisons.front().timing;
  CHECK(timing.ratio == Approx(1));
  CHECK(timing.regime == "fresh");
}

TEST_CASE("an honest advantage is one on fresh inputs too, and a kernel that is slower has none to hide") {
  ExperimentBench honest;
  honest.ratio = 0.5;
  CHECK(honest.time().cases.front().verdict == Verdict::faster);
  CHECK(count(honest.asked(), "fresh") > 0);
  ExperimentBench slower;
  slower.ratio = 1.05;
  slower.fields = ":fresh=3";
  CHECK(slower.time().cases.front().verdict == Verdict::regressed);
}

TEST_CASE("a kernel that is timed in single launches is timed on fresh inputs as well") {
  ExperimentBench bench;
  bench.fields = ":regime=single";
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::pass);
  CHECK(one.comparisons.front().timing.regime == "single");
  CHECK(count(bench.asked(), "fresh") == 2);
  CHECK(count(bench.asked(), "batch") == 2);
}

TEST_CASE("at the power cap, the round that confirms a slowdown uses long stretches") {
  FakeGpu gpu;
  gpu.throttle_reasons = {"sw_power_cap"};
  verdict::Watch watch(gpu.options());
  watch.own(77);
  ExperimentBench bench;
  bench.ratio = 1.05;
  bench.fields = ":regime=single";
  bench.watch = &watch;
  CHECK(bench.time().cases.front().verdict == Verdict::regressed);
  std::vector<std::string> batches = bench.asked();
  std::erase_if(batches, [](const std::string& asked) { return asked.starts_with("fresh"); });
  const std::vector<std::string> expected{"child", "batch 7 stretch 0",  "child", "batch 7 stretch 0",
                                          "child", "batch 7 stretch 200"};
  CHECK(batches == expected);
}

TEST_CASE("below the power cap, and where nothing is suspected, no round uses long stretches") {
  for (const bool capped : {false, true}) {
    FakeGpu gpu;
    if (capped) gpu.throttle_reasons = {"sw_power_cap"};
    verdict::Watch watch(gpu.options());
    watch.own(77);
    ExperimentBench bench;
    bench.ratio = capped ? 1 : 1.05;
    bench.watch = &watch;
    CHECK(bench.time().cases.front().verdict == (capped ? Verdict::pass : Verdict::regressed));
    CHECK(count(bench.asked(), "batch 7 stretch 0") == count(bench.asked(), "batch"));
  }
}

TEST_CASE("a device too noisy for the zone is inconclusive within the budget, and says how finely it could see") {
  ExperimentBench bench;
  bench.fields = ":regime=single:noise=1:sleep=10";
  bench.budget.seconds_per_case = 0.1;
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::inconclusive);
  INFO(one.reason);
  CHECK(one.reason.starts_with("after "));
  CHECK(one.reason.find(" s: the ratio is known only to [-") != std::string::npos);
  CHECK(one.reason.ends_with("]; an answer needs a narrower interval than the zone 0.5 % to 2 %: a quieter machine, a "
                             "larger [budget], or a wider [zone]") !=
        one.reason.ends_with("; an answer needs a larger [budget]"));
  // A request takes 10 ms: at most ten before the budget is over, and the one that goes over it.
  CHECK(count(bench.asked(), "batch") <= 11);
}

TEST_CASE("noise that the zone has room for takes more blocks, and is answered") {
  ExperimentBench bench;
  bench.fields = ":regime=single:noise=0.02";
  bench.budget.seconds_per_case = 60;
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::pass);
  CHECK(one.comparisons.front().timing.blocks > 50);
}

TEST_CASE("where every window was disturbed the case is inconclusive and names the neighbour") {
  FakeGpu gpu;
  gpu.busy_until_s = std::numeric_limits<double>::infinity();
  verdict::Watch watch(gpu.options());
  watch.own(77);
  ExperimentBench bench;
  bench.watch = &watch;
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::inconclusive);
  CHECK(one.reason ==
        "6 measurements were disturbed, the last because another process used the GPU: python3 (pid 4242, 37 %): "
        "nothing is known of the ratio; an answer needs a quieter machine or a larger [budget]");
  const auto& timing = one.comparisons.front().timing;
  CHECK(timing.blocks == 0);
  CHECK(timing.dropped == 42);
  CHECK(timing.base_us == 0);
  CHECK(timing.p95_ratio == 1);
  for (const auto& round : one.us) {
    for (const auto& samples : round) CHECK(samples.empty());
  }
  // The kernel's own figure does not claim a ratio of 1 either.
  verdict::KernelResult kernel;
  kernel.cases.resize(1);
  kernel.cases.front().name = "one";
  kernel.comparisons.resize(1);
  kernel.comparisons.front().against = "base";
  verdict::add_times(kernel, bench.subject(), {one});
  CHECK_FALSE(kernel.cases.front().time);
  CHECK(kernel.comparisons.front().verdict == Verdict::inconclusive);
  CHECK(kernel.comparisons.front().low == 0);
  CHECK(kernel.comparisons.front().high == 1e6);
}

TEST_CASE("a comparison that was decided a round earlier than another loses what was disturbed all the same") {
  FakeGpu gpu;
  gpu.busy_until_s = std::numeric_limits<double>::infinity();
  verdict::Watch watch(gpu.options());
  watch.own(77);
  ExperimentBench bench;
  bench.watch = &watch;
  // Even with the base after two rounds; slower than the accepted version, which a third round must confirm.
  bench.against = {"base", "accepted"};
  bench.references = "ba";
  bench.fields = ":us2=95";
  const auto one = bench.time().cases.front();
  REQUIRE(one.us.size() >= 4);
  REQUIRE(one.comparisons.size() == 2);
  for (const auto& comparison : one.comparisons) {
    INFO(comparison.against);
    CHECK(comparison.verdict == Verdict::inconclusive);
    CHECK(comparison.timing.blocks == 0);
  }
}

TEST_CASE("a budget in which the least does not fit is inconclusive after one round") {
  ExperimentBench bench;
  bench.budget.seconds_per_case = 1e-9;
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::inconclusive);
  INFO(one.reason);
  CHECK(one.reason.starts_with("after 7 blocks in 1 round and "));
  CHECK(
      one.reason.ends_with(" s: the ratio is known only to [-0.36 %, +0.36 %], by 1 of at least 2 rounds; an answer "
                           "needs a larger [budget]"));
}

TEST_CASE("a suite's budget ends the cases that are not decided, and no other") {
  ExperimentBench bench;
  bench.cases = 2;
  bench.budget.seconds_per_suite = 1e-9;
  const auto timed = bench.time();
  REQUIRE(timed.cases.size() == 2);
  CHECK(timed.cases[0].verdict == Verdict::inconclusive);
  CHECK(timed.cases[0].reason ==
        "the suite's budget of 1e-09 s is spent: the ratio is known only to [-0.41 %, +0.41 %], by 1 of at least 2 "
        "rounds; an answer needs a larger [budget]");
  CHECK(timed.cases[1].verdict == Verdict::inconclusive);
  CHECK(timed.cases[1].reason ==
        "the suite's budget of 1e-09 s is spent: nothing is known of the ratio; an answer needs a quieter machine or a "
        "larger [budget]");
  CHECK(timed.cases[1].us.empty());
  CHECK(count(bench.asked(), "batch") == 1);
}

TEST_CASE("a kernel slow enough to use up the budget gets its rounds all the same, and is regressed") {
  for (const bool of_the_suite : {false, true}) {
    ExperimentBench bench;
    bench.ratio = 38;
    (of_the_suite ? bench.budget.seconds_per_suite.emplace(1e-9) : bench.budget.seconds_per_case = 1e-9);
    const auto one = bench.time().cases.front();
    INFO(one.reason);
    CHECK(one.verdict == Verdict::regressed);
    // Not one block more than a proof takes: two rounds to suspect, one to confirm.
    CHECK(one.comparisons.front().timing.rounds == 3);
    CHECK(one.comparisons.front().timing.blocks == 21);
  }
}

TEST_CASE("a slowdown that may lie within the zone is owed no round beyond the budget") {
  ExperimentBench bench;
  bench.ratio = 1.019;
  bench.budget.seconds_per_case = 1e-9;
  const auto one = bench.time().cases.front();
  INFO(one.reason);
  CHECK(one.verdict == Verdict::inconclusive);
  CHECK(one.us.size() == 1);
}

TEST_CASE("in a spent suite the kernel that looks slow goes on alone") {
  ExperimentBench bench;
  bench.cases = 2;
  bench.ratio = 2;
  bench.budget.seconds_per_suite = 1e-9;
  const auto timed = bench.time();
  REQUIRE(timed.cases.size() == 2);
  CHECK(timed.cases[0].verdict == Verdict::regressed);
  CHECK(timed.cases[1].verdict == Verdict::inconclusive);
  CHECK(timed.cases[1].us.empty());
}

TEST_CASE("a suite's budget counts over its kernels; one that is large enough changes nothing") {
  ExperimentBench small;
  small.budget.seconds_per_suite = 1e-9;
  const auto kernels = small.time_all(3);
  CHECK(count(small.asked(), "batch") == 1);
  for (const auto& kernel : kernels) {
    CHECK(kernel.failure.empty());
    CHECK(kernel.cases.front().verdict == Verdict::inconclusive);
  }
  ExperimentBench large;
  large.budget.seconds_per_suite = 86400;
  for (const auto& kernel : large.time_all(3)) CHECK(kernel.cases.front().verdict == Verdict::pass);
}

TEST_CASE("a candidate that equals its base is unchanged whatever the suite's budget is") {
  ExperimentBench bench;
  bench.references = "c";
  bench.budget.seconds_per_suite = 1e-9;
  CHECK(bench.time().cases.front().verdict == Verdict::unchanged);
}

TEST_CASE("a child that dies in two processes ends its case as wrong, and no other case") {
  ExperimentBench bench;
  bench.cases = 2;
  bench.fields = ":dies=2+3";
  const auto timed = bench.time();
  REQUIRE(timed.cases.size() == 2);
  CHECK(timed.failure.empty());
  const auto dead = std::find_if(timed.cases.begin(), timed.cases.end(),
                                 [](const auto& one) { return one.verdict == Verdict::wrong; });
  REQUIRE(dead != timed.cases.end());
  CHECK(dead->reason ==
        "while it was timed beside the base: the kernel crashed (SIGSEGV), in two processes; without it the base is "
        "timed "
        "well");
  CHECK(dead->comparisons.front().timing.blocks == 7);
  const auto& other = timed.cases[dead == timed.cases.begin() ? 1 : 0];
  CHECK(other.verdict == Verdict::pass);
}

TEST_CASE("a pool too small to move buffers in is told in the kernel's warnings") {
  ExperimentBench bench;
  bench.fields = ":moved=0";
  const auto timed = bench.time();
  CHECK(timed.cases.front().verdict == Verdict::pass);
  verdict::KernelResult kernel;
  kernel.cases.resize(1);
  kernel.cases.front().name = "one";
  verdict::add_times(kernel, bench.subject(), timed.cases);
  REQUIRE(kernel.warnings.size() == 1);
  CHECK(kernel.warnings.front() ==
        "case \"one\": no room to move its buffers from block to block: the ratio holds for one placement, another "
        "process may find another");
}

TEST_CASE("a round that suspects a slowdown cannot confirm it, however long another comparison needs") {
  ExperimentBench bench;
  bench.ratio = 1.05;
  bench.against = {"base", "accepted"};
  bench.references = "ba";
  bench.fields = ":regime=single:noise2=0.03";
  bench.budget.seconds_per_case = 60;
  const auto one = bench.time().cases.front();
  const auto& base = one.comparisons.front();
  CHECK(base.verdict == Verdict::regressed);
  CHECK(base.timing.rounds >= 3);
  const auto& trace = base.timing.trace;
  CHECK(std::find(trace.begin(), trace.end(), "confirmed in a fresh round") != trace.end());
}

TEST_CASE("samples on fresh inputs are not taken where the budget has no room for them, and that is told") {
  ExperimentBench bench;
  // Seven blocks in at least 30 ms: seven of single launches would take 90.
  bench.fields = ":sleep=30";
  bench.budget.seconds_per_case = 0.1;
  const auto one = bench.time().cases.front();
  CHECK(count(bench.asked(), "fresh") == 0);
  const auto& trace = one.comparisons.front().timing.trace;
  REQUIRE_FALSE(trace.empty());
  CHECK(trace.back() == "not timed on fresh inputs: the budget has no room for it");
  ExperimentBench roomy;
  roomy.fields = ":sleep=1";
  roomy.budget.seconds_per_case = 600;
  CHECK(roomy.time().cases.front().verdict == Verdict::pass);
  CHECK(count(roomy.asked(), "fresh") == 2);
}
