#include <cmath>

#include "runner/host/plan.h"
#include "tests/host/host_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;

namespace {

constexpr const char* kAdd = R"(
  extern "C" __global__ void add(float* y, const float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1;
  })";

TimeJob job_of(const Launch& launch, std::uint32_t blocks, std::vector<std::uint32_t> arms = {0, 1}) {
  TimeJob job;
  for (const std::uint32_t arm : arms) job.arms.push_back({arm, {launch}});
  job.blocks = blocks;
  job.sample_us = 50;
  job.seed = 1;
  return job;
}

void check_shape(const TimeOutcome& outcome, std::size_t arms, std::size_t blocks) {
  CHECK(outcome.run.fault == "");
  CHECK(outcome.run.ok);
  REQUIRE(outcome.us.size() == arms);
  for (const auto& times : outcome.us) {
    CHECK(times.size() == blocks);
    for (const double us : times) {
      CHECK(std::isfinite(us));
      CHECK(us > 0);
    }
  }
}

}  // namespace

TEST_CASE("Timing gives one figure an arm and block, in batches, and leaves the home buffers alone") {
  Host host;
  host.load(kAdd, {"add"}, 0);
  host.load(kAdd, {"add"}, 1);
  host.add("y", BufferRole::output, std::vector<float>(1000, 5.0f));
  host.add("x", BufferRole::input, std::vector<float>(1000, 2.0f));
  CHECK(host.allocate(4 << 20) == 4 << 20);
  const Launch launch = launch_of("add", {8, 1, 1}, {128, 1, 1}, {buffer(0), buffer(1), scalar<int>(1000)});
  for (const Placement placement : {Placement::any, Placement::segment, Placement::fixed}) {
    TimeJob job = job_of(launch, 5);
    job.placement = placement;
    const TimeOutcome outcome = host.backend->time(job);
    check_shape(outcome, 2, 5);
    CHECK(outcome.regime == "batch");
    CHECK(outcome.launches_per_sample >= 1);
    CHECK(outcome.launches_per_sample <= 1000);
  }
  CHECK(host.read<float>(0) == std::vector<float>(1000, 5.0f));
  TimeJob again = job_of(launch, 2);
  again.launches_per_sample = 7;
  CHECK(host.backend->time(again).launches_per_sample == 7);
}

TEST_CASE("Without room for a pool the buffers get one place, and are timed all the same") {
  Host host;
  host.load(kAdd, {"add"}, 3);
  host.add("y", BufferRole::output, std::vector<float>(1000));
  host.add("x", BufferRole::input, std::vector<float>(1000));
  CHECK(host.allocate(4096) == 0);
  check_shape(host.backend->time(
                  job_of(launch_of("add", {8, 1, 1}, {128, 1, 1}, {buffer(0), buffer(1), scalar<int>(1000)}), 3, {3})),
              1, 3);
}

TEST_CASE("Contents are as the interface says before every timed launch") {
  Host host;
  // A launch that sees anything else traps: inout 1 (not what the last launch left), zeroed output, inputs, a zeroed
  // workspace.
  host.load(R"(
    extern "C" __global__ void picky(int* io, int* sum, const int* x, int* scratch) {
      if (io[0] != 1 || sum[0] != 0 || x[0] != 4 || scratch[0] != 0) __trap();
      io[0] = 2; sum[0] = 3; scratch[0] = 5;
    })",
            {"picky"});
  host.add("io", BufferRole::inout, std::vector<int>(10, 1));
  host.add("sum", BufferRole::output, std::vector<int>(10, 77));
  host.last().zeroed = true;
  host.add("x", BufferRole::input, std::vector<int>(10, 4));
  host.add("scratch", BufferRole::workspace, std::vector<int>(10, 77));
  host.last().zeroed = true;
  host.allocate(1 << 20);
  const Launch launch = launch_of("picky", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1), buffer(2), buffer(3)});
  const TimeOutcome outcome = host.backend->time(job_of(launch, 4, {0, 0}));
  check_shape(outcome, 2, 4);
  CHECK(outcome.regime == "single");
}

TEST_CASE("Outputs are poisoned in every new place") {
  Host host;
  host.load(
      R"(extern "C" __global__ void fresh(float* y, const float* x) { if (threadIdx.x == 0 && y[1] == y[1]) __trap(); y[0] = x[0]; })",
      {"fresh"});
  host.add("y", BufferRole::output, std::vector<float>(2));
  host.add("x", BufferRole::input, std::vector<float>(1));
  host.allocate(1 << 20);
  check_shape(host.backend->time(job_of(launch_of("fresh", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1)}), 4, {0})), 1,
              4);
}

TEST_CASE("Cold samples are single launches") {
  Host host;
  host.load(kAdd, {"add"}, 0);
  host.add("y", BufferRole::output, std::vector<float>(1000));
  host.add("x", BufferRole::input, std::vector<float>(1000));
  host.allocate(1 << 20);
  TimeJob job = job_of(launch_of("add", {8, 1, 1}, {128, 1, 1}, {buffer(0), buffer(1), scalar<int>(1000)}), 2, {0});
  job.cache = CacheState::cold;
  const TimeOutcome outcome = host.backend->time(job);
  check_shape(outcome, 1, 2);
  CHECK(outcome.regime == "single");
  CHECK(outcome.launches_per_sample == 1);
}

TEST_CASE("A fault while timing is the outcome, and an arm that is not loaded an error") {
  Host host;
  host.load(R"(extern "C" __global__ void bad(int* y) { __trap(); })", {"bad"}, 0);
  host.add("y", BufferRole::output, std::vector<int>(1));
  host.allocate(1 << 20);
  const Launch launch = launch_of("bad", {1, 1, 1}, {1, 1, 1}, {buffer(0)});
  const TimeOutcome outcome = host.backend->time(job_of(launch, 2, {0}));
  CHECK_FALSE(outcome.run.ok);
  CHECK(outcome.run.fault == "block (0, 0, 0), thread (0, 0, 0): trap");
  const TimeOutcome refused =
      host.backend->time(job_of(launch_of("bad", {1, 1, 1}, {1025, 1, 1}, {buffer(0)}), 2, {0}));
  CHECK(refused.run.fault == "launch: block of 1025 threads; at most 1024");
  CHECK(error_of([&] { host.backend->time(job_of(launch, 2, {4})); }) == "usage: host backend: arm 4 is not loaded");
}

TEST_CASE("A sample has as many launches as last the time asked for, within bounds") {
  using host::launches_for;
  CHECK(launches_for(10, 350) == 35);
  CHECK(launches_for(500, 350) == 1);
  CHECK(launches_for(0.01, 350) == 1000);
  CHECK(launches_for(0, 350) == 1);
  CHECK(launches_for(std::nan(""), 350) == 1);
  CHECK(launches_for(10, 0) == 1);
}

TEST_CASE("What a kernel changes decides how it is sampled") {
  using host::plan_samples;
  const Buffer input{"x", BufferRole::input, DType::f32, 4, false},
      output{"y", BufferRole::output, DType::f32, 4, false};
  Buffer zeroed = output, inout = input, workspace = output;
  zeroed.zeroed = true;
  inout.role = BufferRole::inout;
  workspace.role = BufferRole::workspace;
  workspace.zeroed = true;
  CHECK_FALSE(plan_samples({input, output, workspace}, CacheState::warm).single);
  CHECK(plan_samples({input, output}, CacheState::cold).single);
  CHECK_FALSE(plan_samples({input, output}, CacheState::cold).restore_each);
  CHECK(plan_samples({input, zeroed}, CacheState::warm).restore_each);
  CHECK(plan_samples({inout}, CacheState::warm).single);
}
