#include "gate/verdict/check/sample_check.h"

#include <set>

#include <fmt/format.h>

#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::verdict;

namespace {

const std::vector<runner::Buffer> kBuffers{{"y", runner::BufferRole::output, DType::f32, 8, false},
                                           {"x", runner::BufferRole::input, DType::f32, 8, false}};

CaseAnswers known() {
  CaseAnswers answers;
  answers.inputs = {{{1, "x0"}}, {{1, "x1"}}};
  answers.candidate = {{{0, "y0"}}, {{0, "y1"}}};
  answers.references = {{{{0, "y0"}}, {}}};  // of the second content its two runs said different things
  return answers;
}

runner::CheckedSample sample(std::uint32_t variant, const std::string& y) {
  runner::CheckedSample one;
  one.variant = variant;
  one.digests = {{0, y}};
  return one;
}

std::string judged(const runner::CheckedSample& one, const TimedVersion& version = {},
                   runner::Regime regime = runner::Regime::batch) {
  const auto finding = judge_sample(one, version, known(), kBuffers, regime);
  return finding ? fmt::format("{}: {}", name_of(finding->verdict), finding->reason) : "";
}

const TimedVersion kBase{0, "base"};

}  // namespace

TEST_CASE("a sample that answers as it did when it was checked says nothing, content by content") {
  CHECK(judged(sample(0, "y0")).empty());
  CHECK(judged(sample(1, "y1"), {}, runner::Regime::fresh).empty());
  CHECK(judged(sample(0, "y0"), kBase).empty());
}

TEST_CASE("a candidate that answers otherwise when it is timed is wrong") {
  CHECK(judged(sample(0, "y1")) ==
        "wrong: while it was timed, on repeated inputs, \"y\" was not what it had been when the same inputs were "
        "checked: it answers otherwise when it is timed, or has a race");
  CHECK(judged(sample(1, "y0"), {}, runner::Regime::fresh).find("on fresh inputs") != std::string::npos);
}

TEST_CASE("a candidate that answers otherwise where only a look at the whole sees it is wrong") {
  auto answers = known();
  answers.wholes = {{{0, "all of y0"}, {1, "all of x0"}}};
  auto one = sample(0, "y0");
  one.wholes = {{0, "all of y0"}, {1, "all of x0"}};
  CHECK_FALSE(judge_sample(one, {}, answers, kBuffers, runner::Regime::batch));
  one.wholes[0] = "other";
  REQUIRE(judge_sample(one, {}, answers, kBuffers, runner::Regime::batch));
  CHECK(judge_sample(one, {}, answers, kBuffers, runner::Regime::batch)->reason.find("\"y\" was not what") !=
        std::string::npos);
  one.wholes[1] = "other";
  CHECK(judge_sample(one, {}, answers, kBuffers, runner::Regime::batch)->reason ==
        "while it was timed: changed its input \"x\"");
}

TEST_CASE("an earlier version that answers otherwise beside the candidate makes the candidate suspect") {
  CHECK(judged(sample(0, "other"), kBase) ==
        "suspect: the base version, timed beside this one, on repeated inputs, gave another \"y\" than alone: this one "
        "writes to memory that is not its own");
}

TEST_CASE("nothing is asked of an output about which nothing is known") {
  CHECK(judged(sample(1, "anything"), kBase).empty());
  CHECK(judged(sample(7, "anything")).empty());
}

TEST_CASE("changed inputs and broken red zones are told before outputs") {
  auto changed = sample(1, "y0");
  changed.digests[1] = "x0";
  CHECK(judged(changed) == "wrong: while it was timed: changed its input \"x\"");
  CHECK(judged(changed, kBase) ==
        "suspect: while it was timed: the base version, timed beside this one, changed its input \"x\"");
  changed.guards = {{0, "wrote out of bounds: 4 bytes past the end of \"y\", the first 0 bytes past it"}};
  CHECK(judged(changed) ==
        "wrong: while it was timed: wrote out of bounds: 4 bytes past the end of \"y\", the first 0 bytes past it");
}

TEST_CASE("all blocks are checked where outputs are small, and some at random where they are large") {
  CHECK(blocks_to_check(3, 1000, RandomStream(1, 0)) == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(blocks_to_check(3, 0, RandomStream(1, 0)).size() == 3);
  const std::uint64_t large = 1u << 20, huge = std::uint64_t{1} << 40;
  std::set<std::vector<std::uint32_t>> drawn;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto blocks = blocks_to_check(16, large, RandomStream(seed, 0));
    CHECK(blocks.size() == 4);
    CHECK(std::is_sorted(blocks.begin(), blocks.end()));
    drawn.insert(blocks);
    CHECK(blocks_to_check(16, huge, RandomStream(seed, 0)).size() == 1);
  }
  CHECK(drawn.size() > 15);
}
