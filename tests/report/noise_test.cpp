#include "gate/report/noise.h"

#include "tests/support/catch.h"

using namespace kgate;

namespace {

verdict::CaseNoise quiet(const std::string& kernel, const std::string& name) {
  verdict::CaseNoise one;
  one.kernel = kernel;
  one.name = name;
  one.regime = "graph";
  one.us = 12.345;
  one.blocks = 120;
  one.rounds = 6;
  one.block_spread = 0.0031;
  one.even_low = -0.001;
  one.even_high = 0.001;
  one.second_half = 0.0012;
  one.smallest = 0.0025;
  one.tolerate = 0.0018;
  one.block = 0.0042;
  one.planted = verdict::Planted{0.0101, 0.0099, 0.008, 0.0118};
  return one;
}

verdict::Result setting() {
  verdict::Result result;
  result.backend = "cuda";
  result.device_name = "NVIDIA H200";
  return result;
}

// clang-format off
const std::string kEverything = R"(what NVIDIA H200 can see (cuda)

case                       us   block spread   error in 1 s  smallest seen           zone  planted -> found
softmax: wide           12.35         0.31 %       +-0.12 %         0.25 %    0.18-0.42 %   1.01 -> 0.99
softmax: tall            4.50         8.20 %       +-0.12 %         0.25 %    0.18-0.42 %   1.02 -> 0.65
transpose: odd          12.35         0.31 %       +-0.12 %         0.25 %    0.18-0.42 %              -
saxpy: one      the kernel crashed (SIGSEGV)

block spread   standard deviation of one block's ratio, a kernel against itself
error in 1 s   half the interval's width after one second of measuring, at the run's error level
smallest seen  the slowdown that is proved in 99 of 100 runs within 5 s a case
zone           the narrowest tolerate-block that suits
planted        slowdown of known size, in percent, and what was found

softmax: wide: against itself +1.20 % [+0.40, +2.00]: this machine is biased
softmax: tall: a planted slowdown of 1.02 % is not seen yet ([-1.23, +2.57] after 120 blocks)

between processes: 0.04 % beyond their own errors (without this record 0.06 % is assumed)
a process that starts beside a measurement: spread 3.00 times the quiet one, shift +0.25 +- 0.05 of a block's spread: it disturbs; runs will start their processes one by one
)";

const std::string kQuiet = R"(what NVIDIA H200 can see (cuda)

case             us   block spread   error in 1 s  smallest seen           zone  planted -> found
k: c          12.35         0.31 %       +-0.12 %         0.25 %    0.18-0.42 %   1.01 -> 0.99

block spread   standard deviation of one block's ratio, a kernel against itself
error in 1 s   half the interval's width after one second of measuring, at the run's error level
smallest seen  the slowdown that is proved in 99 of 100 runs within 5 s a case
zone           the narrowest tolerate-block that suits
planted        slowdown of known size, in percent, and what was found

between processes: 0.04 % beyond their own errors (without this record 0.06 % is assumed)
)";
// clang-format on

}  // namespace

TEST_CASE("what a machine can see is told a line a case, with every surprise in words") {
  verdict::Noise noise;
  noise.round_spread = 0.0004;
  noise.default_spread = 0.0006;
  noise.seconds_per_case = 5;
  noise.cases = {quiet("softmax", "wide"), quiet("softmax", "tall"), quiet("transpose", "odd")};
  noise.cases.push_back(quiet("saxpy", "one"));
  // Not even with itself; a slowdown that is not seen; timed in single launches; not measured.
  noise.cases[0].even = 0.012;
  noise.cases[0].even_low = 0.004;
  noise.cases[0].even_high = 0.02;
  noise.cases[1].us = 4.5;
  noise.cases[1].block_spread = 0.082;
  noise.cases[1].planted = verdict::Planted{0.0102, 0.0065, -0.0123, 0.0257};
  noise.cases[2].planted.reset();
  noise.cases[3].failure = "the kernel crashed (SIGSEGV)";
  noise.overlap.harmless = false;
  noise.overlap.blocks = 60;
  noise.overlap.quiet_spread = 1.1;
  noise.overlap.spread = 3.3;
  noise.overlap.shift = 0.25;
  noise.overlap.shift_error = 0.05;
  CHECK(report::write_noise(noise, setting()) == kEverything);
}

TEST_CASE("a machine without surprises, where no process started beside a measurement, is told in the legend's words") {
  verdict::Noise noise;
  noise.round_spread = 0.0004;
  noise.default_spread = 0.0006;
  noise.seconds_per_case = 5;
  noise.cases = {quiet("k", "c")};
  CHECK(report::write_noise(noise, setting()) == kQuiet);
}

TEST_CASE("a process's start that disturbs nothing is harmless, and foreign names cannot drive a terminal") {
  verdict::Noise noise;
  noise.seconds_per_case = 2.5;
  noise.cases = {quiet("so\x1b[2Jft", "::error::x")};
  noise.cases.front().failure = "red \x1b[31m";
  noise.overlap.blocks = 60;
  noise.overlap.quiet_spread = noise.overlap.spread = 1;
  noise.overlap.shift = -0.1;
  noise.overlap.shift_error = 0.08;
  const auto text = report::write_noise(noise, setting());
  INFO(text);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("within 2.5 s a case") != std::string::npos);
  CHECK(
      text.ends_with("a process that starts beside a measurement: spread 1.00 times the quiet one, shift -0.10 +- "
                     "0.08 of a block's spread: harmless\n"));
}
