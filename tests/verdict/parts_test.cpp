// What a kernel's time is made of, by the blocks that its versions shared.
#include "tests/support/catch.h"
#include "tests/verdict/experiment_bench.h"

using namespace kgate;
using verdict::Part;
using verdict::Verdict;

namespace {

// Candidate, base, accepted source, accepted machine code: microseconds of each.
ExperimentBench with_times(const char* candidate, const char* base, const char* accepted, const char* recorded) {
  ExperimentBench bench;
  bench.against = {"base", "accepted", "toolkit"};
  bench.references = "bar";
  for (const auto& [arm, us] : {std::pair{":us0=", candidate}, std::pair{":us1=", base}, std::pair{":us2=", accepted},
                                std::pair{":us3=", recorded}})
    bench.fields += std::string(arm) + us;
  return bench;
}

void check_part(const Part& part, double ratio) {
  REQUIRE(part.known());
  CHECK(part.ratio == Approx(ratio).epsilon(1e-6));
  CHECK(part.low <= part.ratio);
  CHECK(part.high >= part.ratio);
  CHECK(part.high - part.low < 0.01);
}

}  // namespace

TEST_CASE("a slowdown by this change, by what was merged and by the toolkit are told apart") {
  const auto timed = with_times("104", "100", "98", "95").time();
  check_part(timed.parts.change, 104.0 / 100);
  check_part(timed.parts.merged, 100.0 / 98);
  check_part(timed.parts.toolkit, 98.0 / 95);
  CHECK(timed.parts.toolkit.verdict == Verdict::regressed);
  CHECK(timed.parts.machine.unknown == "not measured");
}

TEST_CASE("a toolkit that makes the accepted source slower is a finding of its own, and the change passes") {
  const auto timed = with_times("100", "100", "100", "95").time();
  const auto& one = timed.cases.front();
  REQUIRE(one.comparisons.size() == 3);
  CHECK(one.comparisons[0].verdict == Verdict::pass);
  CHECK(one.comparisons[1].verdict == Verdict::pass);
  CHECK(one.comparisons[2].verdict == Verdict::regressed);
  CHECK(one.reason.starts_with("by the toolkit alone the accepted version is slower by 5.26 %"));
  CHECK(one.arms == std::vector<std::string>{"candidate", "base", "accepted", "accepted as recorded"});
}

TEST_CASE("a candidate that is the accepted source is timed where the toolkit makes other code of it") {
  auto bench = with_times("98", "98", "98", "95");
  bench.against = {"accepted", "toolkit"};
  bench.references = "cr";
  bench.fields = ":us2=95";
  const auto timed = bench.time();
  const auto& one = timed.cases.front();
  CHECK(one.comparisons[0].verdict == Verdict::unchanged);
  CHECK(one.comparisons[1].verdict == Verdict::regressed);
  CHECK(timed.parts.merged.low == 1);  // one arm: no error
  CHECK(timed.parts.merged.high == 1);
  check_part(timed.parts.toolkit, 100.0 / 95);
  CHECK(timed.parts.change.unknown == "not compared with the base");
}

TEST_CASE("a faster toolkit is no finding, and its part is told") {
  const auto timed = with_times("100", "100", "95", "100").time();
  check_part(timed.parts.toolkit, 0.95);
  CHECK(verdict::passes(timed.parts.toolkit.verdict));
  CHECK(timed.cases.front().comparisons[2].verdict == Verdict::faster);
}

TEST_CASE("without an accepted version there is the change's part alone") {
  ExperimentBench bench;
  bench.ratio = 1.05;
  const auto parts = bench.time().parts;
  check_part(parts.change, 1.05);
  CHECK(parts.merged.unknown == "not compared with an accepted version");
  CHECK(parts.toolkit.unknown == "not compared with an accepted version");
}

TEST_CASE("the toolkit's part of recorded code that today's toolkit makes again is nothing, without an error") {
  ExperimentBench bench;
  bench.ratio = 1.05;
  bench.against = {"base", "accepted"};
  bench.references = "ba";
  bench.recorded = true;
  const auto parts = bench.time().parts;
  REQUIRE(parts.toolkit.known());
  CHECK(parts.toolkit.low == 1);
  CHECK(parts.toolkit.high == 1);
  bench.recorded = false;
  CHECK(bench.time().parts.toolkit.unknown == "the machine code that was accepted does not run here");
}
