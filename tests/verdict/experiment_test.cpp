// The experiment's own course, on a child that answers at once with the times it is told to have measured.
#include "tests/support/catch.h"
#include "tests/verdict/experiment_bench.h"

using namespace kgate;
using verdict::Verdict;

TEST_CASE("an equal kernel passes after two rounds of seven blocks") {
  const auto timed = ExperimentBench{}.time();
  REQUIRE(timed.cases.size() == 1);
  const auto& one = timed.cases.front();
  CHECK(one.verdict == Verdict::pass);
  REQUIRE(one.comparisons.size() == 1);
  const auto& timing = one.comparisons.front().timing;
  CHECK(timing.blocks == 14);
  CHECK(timing.rounds == 2);
  CHECK(timing.base_us == 100);
  CHECK(timing.p95_ratio == Approx(1));
  CHECK(one.us.size() == 2);
}

TEST_CASE("a slower kernel is regressed only once a third, fresh round has confirmed it") {
  ExperimentBench bench;
  bench.ratio = 1.05;
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::regressed);
  const auto& timing = one.comparisons.front().timing;
  CHECK(timing.rounds == 3);
  CHECK(timing.ratio == Approx(1.05));
  REQUIRE(timing.trace.size() == 4);
  CHECK(timing.trace[1] == "suspected; a fresh round must confirm it");
  CHECK(timing.trace[3] == "confirmed in a fresh round");
}

TEST_CASE("several references are timed in the same blocks, and each has its own verdict") {
  ExperimentBench bench;
  bench.ratio = 1.05;
  bench.against = {"base", "accepted", "last-release"};
  bench.references = "bac";
  const auto one = bench.time().cases.front();
  REQUIRE(one.comparisons.size() == 3);
  CHECK(one.verdict == Verdict::regressed);
  CHECK(one.comparisons[0].verdict == Verdict::regressed);
  CHECK(one.comparisons[1].verdict == Verdict::regressed);
  CHECK(one.comparisons[1].reason.starts_with("than the accepted version: slower by 5.00 %"));
  // The last release has the candidate's own machine code: nothing to time.
  CHECK(one.comparisons[2].verdict == Verdict::unchanged);
  CHECK(one.comparisons[2].timing.blocks == 0);
  CHECK(one.us.front().size() == 3);
}

TEST_CASE("a candidate that equals all references is not timed") {
  ExperimentBench bench;
  bench.references = "c";
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::unchanged);
  CHECK(one.us.empty());
}

TEST_CASE("windows that a neighbour disturbed are dropped, measured again, and told") {
  FakeGpu gpu;
  gpu.busy_until_s = 0.6;
  verdict::Watch watch(gpu.options());
  watch.own(77);
  watch.look();
  ExperimentBench bench;
  bench.watch = &watch;
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::pass);
  CHECK(one.comparisons.front().timing.dropped > 0);
  CHECK(watch.summary()["cause"].get<std::string>().find("python3 (pid 4242") != std::string::npos);
}

TEST_CASE("a faster kernel is faster") {
  ExperimentBench bench;
  bench.ratio = 0.9;
  CHECK(bench.time().cases.front().verdict == Verdict::faster);
}

TEST_CASE("scratch memory that fits alone but not beside the base's is the candidate's fault") {
  ExperimentBench bench;
  bench.candidate_scratch = 600000;
  bench.base_scratch = 500000;
  const auto timed = bench.time();
  CHECK(timed.failure.empty());
  CHECK(timed.cases.front().verdict == Verdict::wrong);
  CHECK(timed.cases.front().reason == "its scratch memory does not fit beside the base's: device memory: is too small");
}

TEST_CASE("a device that has no room for the base either is at fault itself") {
  ExperimentBench bench;
  bench.candidate_scratch = 600000;
  bench.base_scratch = 2000000;
  CHECK(bench.time().failure == "device memory: tried twice: is too small");
}

TEST_CASE("each of four shards spends a quarter of the error, as if the whole suite's cases were its own") {
  ExperimentBench lone, four_cases, one_of_four;
  four_cases.cases = 4;
  one_of_four.shards = 4;
  const auto width = [](const ExperimentBench& bench) {
    const auto timed = bench.time();
    const auto& timing = timed.cases.front().comparisons.front().timing;
    return timing.high - timing.low;
  };
  CHECK(width(one_of_four) == width(four_cases));
  CHECK(width(one_of_four) > width(lone));
}
