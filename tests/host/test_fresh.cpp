// The fresh regime, tails and stretches, with real kernels on the host. What they count is asserted, never how fast
// they were.
#include <algorithm>

#include "runner/host/plan.h"
#include "tests/host/host_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;

namespace {

// Remembers its last input and does the work only where another comes; `report` says how often it was called and
// worked, which inputs it saw (a bit for each), and how often its output was not poisoned or its scratch memory not as
// it should be.
constexpr const char* kMemoising = R"(
  __device__ int calls, worked, seen, dirty, last = -1, delays;
  extern "C" __global__ void memo(int* y, const int* x, int* scratch) {
    ++calls;
    if (scratch[0] != 0) ++dirty;
    scratch[0] = 1;
    if (x[0] == last) return;
    if (y[0] != -1) ++dirty;
    last = x[0];
    seen |= 1 << x[0];
    ++worked;
    y[0] = x[0];
  }
  extern "C" __global__ void delay() { ++delays; }
  extern "C" __global__ void report(int* y) {
    y[0] = calls; y[1] = worked; y[2] = seen; y[3] = dirty; y[4] = delays;
    calls = worked = seen = dirty = delays = 0;
  })";

struct Counts {
  int calls = 0, worked = 0, seen = 0, dirty = 0, delays = 0;
};

struct Bench {
  explicit Bench(std::uint64_t pool_bytes = 1 << 20) {
    host.load(kMemoising, {"memo", "delay", "report"}, 0);
    host.load(kMemoising, {"memo", "delay", "report"}, 1);
    host.add("y", BufferRole::output, std::vector<int>(8));
    host.add("x", BufferRole::input, std::vector<int>(8, 3));
    host.add("scratch", BufferRole::workspace, std::vector<int>(8));
    host.last().zeroed = true;
    host.allocate(pool_bytes);
  }

  static Launch launch(const char* entry) {
    if (std::string(entry) == "memo") return launch_of("memo", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1), buffer(2)});
    return launch_of(entry, {1, 1, 1}, {1, 1, 1}, {});
  }

  static TimeJob job(Regime regime) {
    TimeJob job;
    job.arms = {{0, {launch("memo")}}, {1, {launch("memo")}}};
    job.blocks = 6;
    job.launches_per_sample = 4;
    job.regime = regime;
    job.seed = 5;
    return job;
  }

  Counts counts(std::uint32_t arm) {
    const RunOutcome outcome = host.run(launch_of("report", {1, 1, 1}, {1, 1, 1}, {buffer(0)}), arm);
    REQUIRE(outcome.ok);
    const std::vector<int> y = host.read<int>(0);
    return {y[0], y[1], y[2], y[3], y[4]};
  }

  Host host;
};

}  // namespace

TEST_CASE("A kernel that remembers its input works once in batches and at every launch of the fresh regime") {
  for (const std::uint64_t pool : {1 << 20, 0}) {
    Bench bench(pool);
    bench.host.write(1, 1, std::vector<int>(8, 4));
    bench.host.write(1, 6, std::vector<int>(8, 5));
    TimeOutcome outcome = bench.host.backend->time(Bench::job(Regime::batch));
    REQUIRE(outcome.run.ok);
    CHECK(outcome.regime == "batch");
    for (const std::uint32_t arm : {0u, 1u}) {
      const Counts counts = bench.counts(arm);
      CHECK(counts.calls == 6 * (1 + 4));
      CHECK(counts.worked == 1);
      CHECK(counts.seen == 1 << 3);
    }
    outcome = bench.host.backend->time(Bench::job(Regime::fresh));
    REQUIRE(outcome.run.ok);
    CHECK(outcome.regime == "fresh");
    CHECK(outcome.launches_per_sample == 4);
    REQUIRE(outcome.us.size() == 2);
    CHECK(outcome.us[0].size() == 6);
    for (const std::uint32_t arm : {0u, 1u}) {
      const Counts counts = bench.counts(arm);
      CHECK(counts.calls == 6 * (1 + 4));
      // The first launch of a block, an untimed one, can see what the last of the block before saw.
      CHECK(counts.worked >= 6 * 4);
      CHECK(counts.seen == (1 << 3 | 1 << 4 | 1 << 5));
      CHECK(counts.dirty == 0);
    }
  }
}

TEST_CASE("The arms of a block see the same inputs in the same order, cold or warm") {
  for (const CacheState cache : {CacheState::warm, CacheState::cold}) {
    Host host;
    // Each arm folds what it sees into a number that depends on the order.
    constexpr const char* kFold = R"(
      __device__ unsigned fold = 1;
      extern "C" __global__ void see(unsigned* y, const unsigned* x) { fold = fold * 31 + x[0]; }
      extern "C" __global__ void report(unsigned* y, const unsigned* x) { y[0] = fold; })";
    host.load(kFold, {"see", "report"}, 0);
    host.load(kFold, {"see", "report"}, 1);
    host.add("y", BufferRole::output, std::vector<unsigned>(1));
    host.add("x", BufferRole::input, std::vector<unsigned>(1, 3));
    host.allocate(1 << 20);
    for (const std::uint32_t variant : {1u, 2u, 3u, 4u}) host.write(1, variant, std::vector<unsigned>(1, 3 + variant));
    TimeJob job;
    const Launch see = launch_of("see", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1)});
    job.arms = {{0, {see}}, {1, {see}}};
    job.blocks = cache == CacheState::warm ? 10 : 1;
    job.regime = Regime::fresh;
    job.launches_per_sample = 5;
    job.cache = cache;
    REQUIRE(host.backend->time(job).run.ok);
    std::vector<unsigned> folds;
    for (const std::uint32_t arm : {0u, 1u}) {
      REQUIRE(host.run(launch_of("report", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1)}), arm).ok);
      folds.push_back(host.read<unsigned>(0)[0]);
    }
    CHECK(folds[0] == folds[1]);
  }
}

TEST_CASE("In the fresh regime inouts have the content of the variant, or their first one, before every launch") {
  Host host;
  host.load(R"(extern "C" __global__ void grow(int* z, const int* x) {
      if (!(z[0] == 1 && x[0] == 10) && !(z[0] == 1 && x[0] == 20) && !(z[0] == 2 && x[0] == 10)) __trap();
      z[0] += 7;
    })",
            {"grow"});
  host.add("z", BufferRole::inout, std::vector<int>(4, 1));
  host.add("x", BufferRole::input, std::vector<int>(4, 10));
  host.allocate(1 << 20);
  host.write(1, 1, std::vector<int>(4, 20));
  host.write(0, 2, std::vector<int>(4, 2));
  TimeJob job;
  job.arms = {{0, {launch_of("grow", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1)})}}};
  job.blocks = 10;
  job.regime = Regime::fresh;
  const TimeOutcome outcome = host.backend->time(job);
  CHECK(outcome.run.fault == "");
  CHECK(outcome.launches_per_sample >= 2);
  CHECK(outcome.launches_per_sample <= 8);
  CHECK(host.read<int>(0) == std::vector<int>(4, 1));
}

TEST_CASE("Variants are gone with the next allocation, and one content is enough for the fresh regime") {
  Bench bench;
  bench.host.write(1, 1, std::vector<int>(8, 4));
  bench.host.allocate(1 << 20);
  REQUIRE(bench.host.backend->time(Bench::job(Regime::fresh)).run.ok);
  CHECK(bench.counts(0).seen == 1 << 3);
}

TEST_CASE("A tail runs once a sample, from another arm's code where it says so, and never in a run") {
  for (const Regime regime : {Regime::batch, Regime::fresh}) {
    Bench bench;
    TimeJob job = Bench::job(regime);
    Launch delay = Bench::launch("delay");
    job.arms[0].tail = {delay, delay};
    delay.code = 0;
    job.arms[1].tail = {delay};
    REQUIRE(bench.host.backend->time(job).run.ok);
    CHECK(bench.counts(0).delays == 6 * (2 + 1));
    CHECK(bench.counts(1).delays == 0);
    REQUIRE(bench.host.backend->run({1, {Bench::launch("memo")}, {delay}}).ok);
    CHECK(bench.counts(0).delays == 0);
    delay.code = 8;
    job.arms[1].tail = {delay};
    CHECK(error_of([&] { bench.host.backend->time(job); }) == "usage: host backend: arm 8 is not loaded");
  }
}

TEST_CASE("A given number of launches is kept where contents are put back before each") {
  Bench bench;
  bench.host.last().role = BufferRole::inout;
  bench.host.allocate(1 << 20);
  const TimeOutcome outcome = bench.host.backend->time(Bench::job(Regime::batch));
  CHECK(outcome.regime == "single");
  CHECK(outcome.launches_per_sample == 4);
  CHECK(bench.counts(1).calls == 6 * (1 + 4));
}

TEST_CASE("A stretch repeats its samples until their timed parts are as long as asked") {
  Bench bench;
  TimeJob job = Bench::job(Regime::batch);
  job.blocks = 1;
  job.stretch_ms = 3;
  job.arms[1].tail = {Bench::launch("delay")};
  const TimeOutcome outcome = bench.host.backend->time(job);
  REQUIRE(outcome.run.ok);
  for (const std::uint32_t arm : {0u, 1u}) {
    const Counts counts = bench.counts(arm);
    const int timed = counts.calls - 1;
    CHECK(timed % 4 == 0);
    CHECK(outcome.us[arm][0] * timed >= 0.999 * 3000);
    CHECK(counts.delays == (arm == 1 ? timed / 4 : 0));
  }
  // Launches that are timed one by one are so many at most.
  job.regime = Regime::fresh;
  job.stretch_ms = 10000;
  REQUIRE(bench.host.backend->time(job).run.ok);
  CHECK(bench.counts(0).calls <= 1 + 4096);
}

TEST_CASE("A fresh sample has 2 to 8 launches, and is never a batch") {
  CHECK(host::repeats_for(10, 350) == 8);
  CHECK(host::repeats_for(100, 350) == 4);
  CHECK(host::repeats_for(5000, 350) == 2);
  const Buffer input{"x", BufferRole::input, DType::f32, 4, false};
  CHECK(host::plan_samples({input}, CacheState::warm, Regime::fresh).single);
}

TEST_CASE("A variant that is not a whole payload, or of no buffer, is an error of kgate's own") {
  Bench bench;
  const Bytes some(8);
  CHECK(error_of([&] {
          bench.host.backend->write({1, kGuardBytes, 8, 1}, some);
        }) == "internal: host backend: variant 1 of buffer 1 is not its whole payload");
  CHECK(error_of([&] {
          bench.host.backend->write({9, kGuardBytes, 8, 1}, some);
        }) == "internal: host backend: variant 1 of buffer 9 is not its whole payload");
}
