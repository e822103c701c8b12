#include "gate/verdict/outcome.h"

#include "gate/verdict/judge.h"
#include "tests/support/errors.h"

using namespace kgate;
using verdict::Verdict;

namespace {

verdict::KernelResult kernel_of(Verdict first, Verdict second, const std::string& code) {
  verdict::KernelResult kernel;
  kernel.name = "k";
  kernel.code = code;
  kernel.cases.resize(2);
  kernel.cases[0].name = "a";
  kernel.cases[0].verdict = first;
  kernel.cases[0].reason = "first";
  kernel.cases[1].name = "b";
  kernel.cases[1].verdict = second;
  kernel.cases[1].reason = "second";
  return kernel;
}

verdict::Judgement judgement_of(std::vector<Verdict> verdicts, std::vector<std::string> block_on) {
  verdict::Judgement judgement;
  judgement.profile.block_on = std::move(block_on);
  judgement.new_blocks = false;
  for (const auto one : verdicts) {
    verdict::KernelResult kernel;
    kernel.name = "k" + std::to_string(judgement.result.kernels.size());
    kernel.verdict = one;
    kernel.reason = verdict::name_of(one);
    judgement.finished.push_back(kernel.name);
    judgement.result.kernels.push_back(kernel);
  }
  return judgement;
}

}  // namespace

TEST_CASE("a kernel is as bad as its worst case, and says which") {
  auto kernel = kernel_of(Verdict::faster, Verdict::regressed, "changed");
  verdict::conclude(kernel);
  CHECK(kernel.verdict == Verdict::regressed);
  CHECK(kernel.reason == "case \"b\": second");
  kernel = kernel_of(Verdict::wrong, Verdict::regressed, "changed");
  verdict::conclude(kernel);
  CHECK(kernel.verdict == Verdict::wrong);
}

TEST_CASE("a kernel is faster where a case is and none is worse, unchanged or new as its code is") {
  auto kernel = kernel_of(Verdict::faster, Verdict::pass, "changed");
  verdict::conclude(kernel);
  CHECK(kernel.verdict == Verdict::faster);
  kernel = kernel_of(Verdict::pass, Verdict::pass, "unchanged");
  verdict::conclude(kernel);
  CHECK(kernel.verdict == Verdict::unchanged);
  kernel = kernel_of(Verdict::pass, Verdict::pass, "new");
  verdict::conclude(kernel);
  CHECK(kernel.verdict == Verdict::fresh);
}

TEST_CASE("a case keeps its times beside every version, and those beside the first as its own") {
  auto kernel = kernel_of(Verdict::pass, Verdict::pass, "changed");
  verdict::TimedCase timed;
  timed.name = "b";
  timed.verdict = Verdict::regressed;
  timed.comparisons.resize(3);
  timed.comparisons[0] = {"base", Verdict::pass, "", {}};
  timed.comparisons[0].timing.base_us = 10;
  timed.comparisons[0].timing.candidate_us = 10.1;
  timed.comparisons[0].timing.ratio = 1.01;
  timed.comparisons[0].timing.blocks = 24;
  timed.comparisons[1] = {"accepted", Verdict::regressed, "slower", {}};
  timed.comparisons[1].timing.base_us = 9;
  timed.comparisons[1].timing.candidate_us = 10.1;
  timed.comparisons[1].timing.ratio = 1.12;
  timed.comparisons[1].timing.low = 1.11;
  timed.comparisons[1].timing.high = 1.13;
  timed.comparisons[1].timing.blocks = 24;
  timed.comparisons[2] = {"last-release", Verdict::unchanged, "", {}};
  verdict::add_times(kernel, {}, {timed});
  const auto& one = kernel.cases[1];
  REQUIRE(one.time);
  CHECK(one.time->ratio == 1.01);
  REQUIRE(one.comparisons.size() == 3);
  CHECK(one.comparisons[1].against == "accepted");
  CHECK(one.comparisons[1].verdict == Verdict::regressed);
  CHECK(one.comparisons[1].reason == "slower");
  CHECK(one.comparisons[1].timed);
  CHECK(one.comparisons[1].before_us == 9);
  CHECK(one.comparisons[1].candidate_us == 10.1);
  CHECK(one.comparisons[1].ratio == 1.12);
  CHECK(one.comparisons[1].low == 1.11);
  CHECK(one.comparisons[1].high == 1.13);
  CHECK_FALSE(one.comparisons[2].timed);
  CHECK(kernel.cases[0].comparisons.empty());
}

namespace {

verdict::KernelResult with_verdict(Verdict found) {
  verdict::KernelResult kernel;
  kernel.verdict = found;
  return kernel;
}

}  // namespace

TEST_CASE("wrong, suspect and untrusted block in every profile; the others where it lists them") {
  for (const auto found : {Verdict::wrong, Verdict::suspect, Verdict::untrusted})
    CHECK(verdict::blocks(with_verdict(found), {}, false));
  const auto others = {Verdict::regressed, Verdict::inconclusive, Verdict::environment, Verdict::missing,
                       Verdict::fresh};
  for (const auto found : others) CHECK_FALSE(verdict::blocks(with_verdict(found), {}, false));
  const trust::Profile all{{}, {"change", "inconclusive", "environment", "missing", "new"}};
  for (const auto found : others) CHECK(verdict::blocks(with_verdict(found), all, false));
  CHECK(verdict::blocks(with_verdict(Verdict::fresh), {}, true));
}

TEST_CASE("slower than the base is the change's, slower than what was accepted is creep") {
  const trust::Profile change{{}, {"change"}}, creep{{}, {"creep"}};
  auto kernel = with_verdict(Verdict::regressed);
  const auto compared = [&](const char* against) {
    verdict::TimedCase timed;
    timed.name = "wide";
    timed.comparisons.push_back({against, Verdict::regressed, "slower", {}});
    kernel.comparisons.push_back({});
    kernel.comparisons.back().against = against;
    verdict::Subject subject;
    subject.cases.cases.emplace_back().name = "wide";
    verdict::add_times(kernel, subject, {timed});
  };
  SECTION("the base alone") {
    compared("base");
    CHECK(verdict::blocks(kernel, change, false));
    CHECK_FALSE(verdict::blocks(kernel, creep, false));
  }
  SECTION("the accepted version alone") {
    compared("accepted");
    CHECK_FALSE(verdict::blocks(kernel, change, false));
    CHECK(verdict::blocks(kernel, creep, false));
  }
  SECTION("both") {
    compared("base");
    compared("accepted");
    CHECK(verdict::blocks(kernel, change, false));
    CHECK(verdict::blocks(kernel, creep, false));
  }
  SECTION("a limit on resources, with even times") {
    CHECK(verdict::blocks(kernel, change, false));
    CHECK_FALSE(verdict::blocks(kernel, creep, false));
  }
}

namespace {

verdict::Attribution by_toolkit(Verdict found) {
  verdict::Attribution parts;
  parts.toolkit = {1.03, 1.028, 1.032, "", found};
  return parts;
}

}  // namespace

TEST_CASE("slower by the toolkit blocks where the profile lists the toolkit") {
  auto kernel = with_verdict(Verdict::regressed);
  verdict::add_parts(kernel, by_toolkit(Verdict::regressed));
  CHECK(verdict::blocks(kernel, {{}, {"toolkit"}}, false));
  CHECK_FALSE(verdict::blocks(kernel, {{}, {"change", "creep", "machine"}}, false));
}

TEST_CASE("slower by the toolkit does not let through what could not be measured against the base") {
  auto kernel = with_verdict(Verdict::regressed);
  verdict::add_parts(kernel, by_toolkit(Verdict::regressed));
  kernel.comparisons.emplace_back().verdict = Verdict::inconclusive;
  CHECK(verdict::blocks(kernel, {{}, {"change", "inconclusive"}}, false));
  CHECK_FALSE(verdict::blocks(kernel, {{}, {"change"}}, false));
}

TEST_CASE("who accepted a version did not accept what another toolkit makes of it") {
  auto kernel = with_verdict(Verdict::regressed);
  kernel.reason = "slower";
  SECTION("slower") {
    verdict::add_parts(kernel, by_toolkit(Verdict::regressed));
    verdict::approve(kernel, "accepted by record 3 (release.pub.pem): first");
    CHECK(kernel.verdict == Verdict::regressed);
    CHECK(
        kernel.reason ==
        "accepted by record 3 (release.pub.pem): first; but the toolkit made it slower since: +3.00 % [+2.80, +3.20]");
    CHECK(verdict::blocks(kernel, {{}, {"toolkit"}}, false));
    CHECK_FALSE(verdict::blocks(kernel, {{}, {"change", "creep"}}, false));
  }
  SECTION("not known") {
    verdict::add_parts(kernel, by_toolkit(Verdict::inconclusive));
    verdict::approve(kernel, "accepted by record 3 (release.pub.pem): first");
    CHECK(kernel.verdict == Verdict::inconclusive);
  }
  SECTION("not slower") {
    verdict::add_parts(kernel, by_toolkit(Verdict::pass));
    verdict::approve(kernel, "accepted by record 3 (release.pub.pem): first");
    CHECK(kernel.verdict == Verdict::preapproved);
  }
}

TEST_CASE("the machine is to blame only beyond its own error and the zone") {
  const trust::Zone zone;
  const auto with_part = [&](double ratio, double half, Verdict before) {
    auto kernel = with_verdict(before);
    kernel.attribution.emplace();
    verdict::add_machine(kernel, {ratio, ratio - half, ratio + half, "", Verdict::pass}, zone);
    return kernel;
  };
  CHECK(with_part(1.05, 0.01, Verdict::pass).verdict == Verdict::regressed);
  CHECK(with_part(1.05, 0.01, Verdict::pass).reason ==
        "the machine code that was accepted takes 5.0 % [+4.0, +6.0] longer here than then");
  CHECK(with_part(1.05, 0.06, Verdict::pass).verdict == Verdict::pass);    // not beyond its error
  CHECK(with_part(1.015, 0.001, Verdict::pass).verdict == Verdict::pass);  // within the zone
  CHECK(with_part(1.05, 0.01, Verdict::wrong).verdict == Verdict::wrong);
  const auto slow = with_part(1.05, 0.01, Verdict::pass);
  CHECK(verdict::blocks(slow, {{}, {"machine"}}, false));
  CHECK_FALSE(verdict::blocks(slow, {{}, {"change", "creep", "toolkit"}}, false));
}

TEST_CASE("what was accepted beforehand may be slower or new, and never wrong") {
  auto kernel = with_verdict(Verdict::regressed);
  kernel.code = "changed";
  kernel.reason = "slower by 5 %";
  verdict::approve(kernel, "");
  CHECK(kernel.verdict == Verdict::regressed);
  verdict::approve(kernel, "accepted by record 3 (release.pub.pem): more accurate");
  CHECK(kernel.verdict == Verdict::preapproved);
  CHECK(kernel.reason == "accepted by record 3 (release.pub.pem): more accurate (slower by 5 %)");
  for (const auto found :
       {Verdict::wrong, Verdict::suspect, Verdict::untrusted, Verdict::missing, Verdict::environment}) {
    auto other = with_verdict(found);
    verdict::approve(other, "accepted");
    CHECK(other.verdict == found);
  }
}

TEST_CASE("the exit code is that of the worst verdict that blocks") {
  auto judgement = judgement_of({Verdict::pass, Verdict::environment, Verdict::regressed}, {"change"});
  verdict::seal(judgement, nullptr, 0);
  CHECK(judgement.result.verdict == Verdict::regressed);
  CHECK(judgement.result.exit_code == 1);
  CHECK(judgement.result.reason == "k2: regressed");
  judgement = judgement_of({Verdict::pass, Verdict::inconclusive}, {"change"});
  verdict::seal(judgement, nullptr, 0);
  CHECK(judgement.result.verdict == Verdict::inconclusive);
  CHECK(judgement.result.exit_code == 0);
}

TEST_CASE("a run without any kernel is missing, never a pass") {
  verdict::Judgement judgement;
  verdict::seal(judgement, nullptr, 0);
  CHECK(judgement.result.verdict == Verdict::missing);
  CHECK(judgement.result.exit_code == 6);
}

TEST_CASE("a run that was interrupted keeps what was finished and passes nothing else") {
  auto judgement = judgement_of({Verdict::faster, Verdict::pass}, {"change"});
  judgement.finished = {"k0"};
  const Error error(ErrorKind::interrupted, "", "interrupted by SIGTERM");
  verdict::seal(judgement, &error, 15);
  CHECK(judgement.result.exit_code == 143);
  CHECK(judgement.result.verdict == Verdict::environment);
  CHECK(judgement.result.kernels[0].verdict == Verdict::faster);
  CHECK(judgement.result.kernels[1].verdict == Verdict::environment);
  CHECK(judgement.result.kernels[1].reason == "not finished: interrupted by SIGTERM");
}

TEST_CASE("limits on registers, spills and error growth make a right kernel regressed") {
  trust::Policy policy;
  policy.resources.max_registers = 64;
  auto kernel = kernel_of(Verdict::pass, Verdict::pass, "changed");
  kernel.candidate = {80, 0, 0, 0};
  verdict::check_limits(kernel, policy);
  CHECK(kernel.verdict == Verdict::regressed);
  CHECK(kernel.reason == "uses 80 registers, the policy allows 64");

  policy.resources = {};
  policy.resources.spill_bytes_growth = 0;
  kernel = kernel_of(Verdict::pass, Verdict::pass, "changed");
  kernel.candidate = {80, 0, 16, 0};
  kernel.base = {80, 0, 8, 0};
  verdict::check_limits(kernel, policy);
  CHECK(kernel.reason == "spills 16 bytes a thread, the base 8; the policy allows 0 more");

  kernel = kernel_of(Verdict::pass, Verdict::pass, "changed");
  kernel.cases[0].numerics["y"].rms = 3e-6;
  kernel.cases[0].numerics["y"].base_rms = 1e-6;
  verdict::check_limits(kernel, policy);
  CHECK(kernel.reason == "the error of \"y\" grew to 3 times the base's over 1 cases, the policy allows 2");
}

TEST_CASE("a limit does not hide that a kernel is wrong") {
  trust::Policy policy;
  policy.resources.max_registers = 64;
  auto kernel = kernel_of(Verdict::wrong, Verdict::pass, "changed");
  kernel.candidate = {80, 0, 0, 0};
  verdict::conclude(kernel);
  verdict::check_limits(kernel, policy);
  CHECK(kernel.verdict == Verdict::wrong);
}
