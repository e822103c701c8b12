#include "gate/report/bisection.h"

#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::verdict;

namespace {

trust::CommitInfo commit(char digit, const std::string& subject) {
  return {std::string(40, digit), {}, "Ann", "2026-11-29T22:55:27Z", subject};
}

Visit visit(const trust::CommitInfo& of, Side side, Trouble trouble, Verdict verdict, double ratio) {
  Visit one{of, side, {trouble, verdict, "", std::nullopt}, true, "", ""};
  if (ratio > 0) one.standing.ratio = Ratio{ratio, ratio - 0.002, ratio + 0.002};
  return one;
}

// 6 % in two steps, of which the larger is found.
Bisection creep() {
  Bisection found;
  found.kernel = "softmax";
  found.good = commit('a', "release");
  found.bad = commit('d', "today");
  found.wanted = {Trouble::regressed, true};
  found.before = visit(commit('b', "before it"), Side::good, Trouble::none, Verdict::pass, 1.021);
  found.after = visit(commit('c', "Unroll less"), Side::bad, Trouble::regressed, Verdict::regressed, 1.06);
  found.end = found.after->standing;
  found.cases = {"wide", "tall"};
  found.commits = 1000;
  found.changes = 40;
  found.compiled = 8;
  found.measurements = 6;
  found.suspects = {commit('c', "Unroll less")};
  found.step = rise(*found.before->standing.ratio, *found.after->standing.ratio);
  found.others = {{found.good, found.before->commit, *found.before->standing.ratio}};
  found.finished = true;
  conclude(found);
  return found;
}

// clang-format off
const std::string kCreep = R"(kgate bisect: regressed (exit code 1): softmax is slower since cccccccccc

commit cccccccccccccccccccccccccccccccccccccccc
author Ann, 2026-11-29T22:55:27Z
       Unroll less

before bbbbbbbbbb  pass  +2.1 % [+1.9, +2.3]
after  cccccccccc  regressed  +6.0 % [+5.8, +6.2]
step               +3.8 % [+3.5, +4.1]
against aaaaaaaaaa, in cases wide, tall
it became slower elsewhere too, by +2.1 % [+1.9, +2.3]: kgate bisect aaaaaaaaaa bbbbbbbbbb softmax
1000 commits on the way, of which 40 changed the kernel's files; 8 versions compiled, 6 measurements
)";
// clang-format on

}  // namespace

TEST_CASE("a bisection names the commit, the step, what it took, and where the rest of a creep lies") {
  CHECK(report::write_bisection(creep(), {}) == kCreep);
}

TEST_CASE("a merge is told with the command that looks inside of it, and quiet has the first line alone") {
  auto found = creep();
  found.inside_from = std::string(40, 'e');
  found.inside_to = std::string(40, 'f');
  CHECK(report::write_bisection(found, {}).find(
            "it is a merge; to look inside of it: kgate bisect eeeeeeeeee ffffffffff softmax\n") != std::string::npos);
  CHECK(report::write_bisection(found, {false, 100, true}) == kCreep.substr(0, kCreep.find('\n') + 1));
}

TEST_CASE("what was found before an interruption is told as such") {
  auto found = creep();
  found.finished = false;
  found.trouble = "interrupted by SIGINT";
  found.exit_code = 130;
  found.suspects.push_back(commit('d', "today"));
  const auto text = report::write_bisection(found, {});
  CHECK(text.starts_with(
      "kgate bisect: not finished (exit code 130): interrupted by SIGINT\nsoftmax is slower in dddddddddd beside "
      "aaaaaaaaaa\n"));
  CHECK(text.find("  cccccccccc  2026-11-29  Unroll less\n  dddddddddd  2026-11-29  today\n") != std::string::npos);
  CHECK(text.find("cannot be told apart") == std::string::npos);
  CHECK(text.find("\nto go on: kgate bisect bbbbbbbbbb cccccccccc softmax\n") != std::string::npos);
  // Nothing is known to be good yet: the good end is where it goes on from.
  found.before.reset();
  CHECK(report::write_bisection(found, {}).find("\nto go on: kgate bisect aaaaaaaaaa cccccccccc softmax\n") !=
        std::string::npos);
}

TEST_CASE("whole results are named where there are any, each once and by the commit that was measured") {
  auto found = creep();
  CHECK(report::write_bisection(found, {}).find("whole result") == std::string::npos);
  found.after->result = "kgate-out/bisect/eeeeeeeeee";
  found.after->same_as = std::string(40, 'e');
  found.before->result = "kgate out/bisect/bbbbbbbbbb";
  CHECK(report::write_bisection(found, {}).find("whole result of eeeeeeeeee: kgate report kgate-out/bisect/eeeeeeeeee\n"
                                                "whole result of bbbbbbbbbb: kgate report "
                                                "'kgate out/bisect/bbbbbbbbbb'\n") != std::string::npos);
  found.before = found.after;
  const auto text = report::write_bisection(found, {});
  CHECK(text.find("whole result of") == text.rfind("whole result of"));
}

TEST_CASE("what was too noisy to tell ends with exit code 3, and says what to do") {
  const std::string remedy =
      "the times are too noisy here: keep other work off the machine, raise [budget] seconds_per_case in the policy, "
      "or widen [zone]; kgate doctor --noise tells how small a slowdown can be seen\n";
  // Commits between the last good one and the first bad one.
  auto found = creep();
  auto noisy = visit(commit('c', "Unroll less"), Side::unknown, Trouble::unknown, Verdict::inconclusive, 1.03);
  found.looks = {noisy};
  found.after = visit(found.bad, Side::bad, Trouble::regressed, Verdict::regressed, 1.06);
  found.suspects.push_back(found.bad);
  conclude(found);
  CHECK(found.exit_code == 3);
  auto text = report::write_bisection(found, {});
  INFO(text);
  CHECK(text.find(remedy + "to go on: kgate bisect bbbbbbbbbb dddddddddd softmax\n") != std::string::npos);
  // The bad end itself.
  Bisection nothing;
  nothing.kernel = "softmax";
  nothing.good = found.good;
  nothing.bad = found.bad;
  nothing.wanted = {Trouble::unknown, false};
  nothing.end = {Trouble::unknown, Verdict::inconclusive, "no finer than 3 %", std::nullopt};
  nothing.finished = true;
  conclude(nothing);
  CHECK(nothing.exit_code == 3);
  text = report::write_bisection(nothing, {});
  CHECK(
      text.starts_with("kgate bisect: inconclusive (exit code 3): softmax in dddddddddd beside aaaaaaaaaa could not be "
                       "measured: no finer than 3 %\n"));
  CHECK(text.find(remedy) != std::string::npos);
  CHECK(text.find("to go on") == std::string::npos);
}

TEST_CASE("a commit's subject cannot drive a terminal or a CI system") {
  const auto line =
      report::write_visit(visit(commit('c', "\x1b[2K::error::fake"), Side::bad, Trouble::wrong, Verdict::wrong, 0), 3);
  CHECK(line == " 3  bad      cccccccccc  wrong  (\\x1b[2K::error::fake)");
  auto found = creep();
  found.suspects[0].subject = "\x1b[2K\n::error::fake";
  CHECK(report::write_bisection(found, {}).find("\\x1b[2K \\:") != std::string::npos);
}
