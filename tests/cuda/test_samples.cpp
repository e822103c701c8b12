// Tails, launches from another arm's code, and stretches, on a driver whose clock moves by what the test says.
#include <algorithm>

#include "tests/cuda/fake_backend.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;
using namespace kgate::test;

namespace {

constexpr int kCount = 16;
constexpr std::uint64_t kBytes = 4 * kCount;

// Arms 0 and 1 have "scale", a kernel of `us` microseconds; 9 has "delay", of 7.
struct Bench {
  explicit Bench(double us = 5, BufferRole role = BufferRole::output) {
    fake.memory_bytes = 4ull << 30;
    fake.kernels["scale"] = scale_kernel(us);
    fake.kernels["delay"].us = 7;
    backend = backend_over(fake);
    backend->load({0, bytes_of("cubin"), {{"scale", "scale"}}});
    backend->load({1, bytes_of("cubin"), {{"scale", "scale"}}});
    backend->load({9, bytes_of("cubin"), {{"delay", "delay"}}});
    backend->allocate({{buffer("y", role, kBytes), buffer("x", BufferRole::input, kBytes)}, 64u << 20});
    fake.keep_log = true;
  }

  static Launch delay() {
    Launch launch;
    launch.entry = "delay";
    launch.code = 9;
    return launch;
  }

  TimeJob job(std::uint32_t blocks) const {
    TimeJob job;
    job.arms = {{0, {scale_launch(kCount, 2)}}, {1, {scale_launch(kCount, 2)}}};
    job.blocks = blocks;
    return job;
  }

  // How often each of these was between two events that belong together, in the timings that the log ends with.
  struct Timed {
    std::size_t scale = 0, delay = 0, other = 0;
  };
  std::vector<Timed> timed() const {
    std::vector<Timed> pairs;
    bool open = false;
    for (const std::string& what : fake.log) {
      if (what == "event") {
        open = !open;
        if (open) pairs.emplace_back();
      } else if (open) {
        pairs.back().scale += what == "scale";
        pairs.back().delay += what == "delay";
        pairs.back().other += what != "scale" && what != "delay";
      }
    }
    return pairs;
  }

  FakeDriver fake;
  std::unique_ptr<Backend> backend;
};

}  // namespace

TEST_CASE("the tail is inside the timed part and runs once a sample") {
  Bench bench;
  TimeJob job = bench.job(4);
  job.arms[1].tail = {Bench::delay()};
  job.launches_per_sample = 10;
  const TimeOutcome outcome = bench.backend->time(job);
  REQUIRE(outcome.run.ok);
  CHECK(outcome.launches_per_sample == 10);
  for (const double us : outcome.us[0]) CHECK(us == Approx(5).epsilon(1e-4));
  for (const double us : outcome.us[1]) CHECK(us == Approx(5.7).epsilon(1e-4));
  const auto pairs = bench.timed();
  for (std::size_t at = pairs.size() - 8; at < pairs.size(); at += 2) {
    CHECK(pairs[at].scale == 10);
    CHECK(pairs[at].delay + pairs[at + 1].delay == 1);
  }
}

TEST_CASE("a tail does not change how many launches a sample has") {
  Bench bench;
  TimeJob job = bench.job(1);
  job.arms[0].tail = {Bench::delay(), Bench::delay()};
  const TimeOutcome outcome = bench.backend->time(job);
  CHECK(outcome.launches_per_sample == 70);
  CHECK(outcome.us[0][0] == Approx(5 + 14.0 / 70).epsilon(1e-4));
}

TEST_CASE("samples of single launches have their tail after the last one") {
  for (const Regime regime : {Regime::batch, Regime::fresh}) {
    Bench bench;
    TimeJob job = bench.job(2);
    job.arms[0].tail = {Bench::delay()};
    job.launches_per_sample = 4;
    job.regime = regime;
    job.cache = CacheState::cold;
    const TimeOutcome outcome = bench.backend->time(job);
    REQUIRE(outcome.run.ok);
    CHECK(outcome.launches_per_sample == 4);
    CHECK(outcome.us[0][1] == Approx((20 + 7) / 4.0).epsilon(1e-4));
    CHECK(outcome.us[1][1] == Approx(5).epsilon(1e-4));
  }
}

TEST_CASE("a given number of launches is kept for long kernels too, and the time is still that of one") {
  Bench bench(80);
  TimeJob job = bench.job(2);
  job.arms[1].tail = {Bench::delay()};
  job.launches_per_sample = 5;
  const TimeOutcome outcome = bench.backend->time(job);
  REQUIRE(outcome.run.ok);
  CHECK(outcome.regime == "graph");
  CHECK(outcome.launches_per_sample == 5);
  CHECK(outcome.us[0][0] == Approx(80).epsilon(1e-4));
  CHECK(outcome.us[1][0] == Approx(80 + 7 / 5.0).epsilon(1e-4));
  CHECK(bench.timed().back().scale == 5);
}

TEST_CASE("a run has no tail, and a workspace is not zeroed again for one") {
  Bench bench;
  bench.backend->allocate({{buffer("y", BufferRole::output, kBytes), buffer("x", BufferRole::input, kBytes),
                            buffer("w", BufferRole::workspace, 12, true)},
                           64u << 20});
  bench.fake.log.clear();
  REQUIRE(bench.backend->run({0, {scale_launch(kCount, 2)}, {Bench::delay()}}).ok);
  CHECK(bench.fake.log == std::vector<std::string>{"set 12", "scale"});
  TimeJob job = bench.job(1);
  job.arms = {{0, {scale_launch(kCount, 2)}, {Bench::delay()}}};
  job.launches_per_sample = 1;
  job.first_block = 1;
  bench.backend->time(job);
  const std::vector<std::string> end(bench.fake.log.end() - 5, bench.fake.log.end());
  CHECK(end == std::vector<std::string>{"event", "set 12", "scale", "delay", "event"});
}

TEST_CASE("a launch can have its entry in another arm's code, which must be there") {
  Bench bench;
  CHECK(bench.backend->run({0, {Bench::delay(), scale_launch(kCount, 2)}}).ok);
  CHECK(bench.fake.log == std::vector<std::string>{"delay", "scale"});
  Launch launch = Bench::delay();
  launch.code = 4;
  CHECK(error_of([&] { bench.backend->run({0, {launch}}); }) == "internal: arm 4: was not loaded");
  launch.code = std::nullopt;
  CHECK(error_of([&] { bench.backend->run({0, {launch}}); }) == "internal: entry \"delay\": was not loaded");
  TimeJob job = bench.job(1);
  launch.code = 5;
  job.arms[0].tail = {launch};
  CHECK(error_of([&] { bench.backend->time(job); }) == "internal: arm 5: was not loaded");
}

TEST_CASE("a stretch lasts as long as asked, back to back between one pair of events, each arm's by its own speed") {
  for (const double us : {5.0, 80.0}) {
    INFO(us << " us");
    Bench bench(us);
    TimeJob job = bench.job(3);
    job.arms[1].launches.push_back(scale_launch(kCount, 2));
    job.arms[1].tail = {Bench::delay()};
    job.stretch_ms = 20;
    const TimeOutcome outcome = bench.backend->time(job);
    REQUIRE(outcome.run.ok);
    CHECK(outcome.regime == (us < 25 ? "graph" : "single"));
    const std::uint32_t batch = outcome.launches_per_sample;
    CHECK(outcome.us[0][0] == Approx(us).epsilon(1e-3));
    CHECK(outcome.us[1][0] == Approx(2 * us + 7.0 / batch).epsilon(1e-3));
    const auto pairs = bench.timed();
    for (std::size_t at = pairs.size() - 6; at < pairs.size(); ++at) {
      const double lasted = us * static_cast<double>(pairs[at].scale) + 7 * static_cast<double>(pairs[at].delay);
      CHECK(lasted >= 0.999 * 20000);
      CHECK(lasted < 1.1 * 20000 + us * batch);
      CHECK(pairs[at].other == 0);
      if (pairs[at].delay > 0) CHECK(pairs[at].scale == pairs[at].delay * 2 * batch);
    }
  }
}

TEST_CASE("a stretch whose pilot took the kernel for slower than it is still lasts as long as asked") {
  Bench bench(80);
  std::size_t launches = 0;
  bench.fake.kernels["scale"].action = [&](void**) {
    if (++launches == 200) bench.fake.kernels["scale"].us = 30;
  };
  TimeJob job = bench.job(1);
  job.launches_per_sample = 1;
  job.stretch_ms = 40;
  const TimeOutcome outcome = bench.backend->time(job);
  REQUIRE(outcome.run.ok);
  std::size_t last_arm = 0;
  const auto pairs = bench.timed();
  for (std::size_t at = pairs.size(); at-- > 0 && last_arm < 1333;) last_arm += pairs[at].scale;
  CHECK(last_arm >= 1333);  // 40 ms of 30 us
  CHECK(last_arm < 1500);
}

TEST_CASE("a stretch of a kernel that works in place puts its input back before every batch, outside of the time") {
  for (const std::uint64_t pool : {std::uint64_t{64} << 20, std::uint64_t{0}}) {
    Bench bench(5, BufferRole::inout);
    bench.backend->allocate({{buffer("y", BufferRole::inout, kBytes), buffer("x", BufferRole::input, kBytes)}, pool});
    write_floats(*bench.backend, 0, std::vector<float>(kCount, 1));
    int wrong = 0;
    bench.fake.kernels["scale"].action = [&](void** p) {
      auto* y = reinterpret_cast<float*>(parameter<std::uint64_t>(p, 0));
      wrong += y[0] != 1;
      y[0] = 2;
    };
    TimeJob job = bench.job(1);
    job.arms.pop_back();
    job.stretch_ms = 5;
    bench.fake.log.clear();  // writing records events too
    const TimeOutcome outcome = bench.backend->time(job);
    REQUIRE(outcome.run.ok);
    CHECK(wrong == 0);
    CHECK(outcome.us[0][0] == Approx(5).epsilon(1e-3));
    std::size_t launches = 0;
    for (const auto& pair : bench.timed()) {
      if (pair.scale == 0) continue;  // the hold, which is measured when it is made
      CHECK(pair.other == 0);
      launches += pair.scale;
    }
    CHECK(launches >= 1000);  // 5 ms of 5 us
    CHECK(launches < 2500);   // the pilot's as well
  }
}

TEST_CASE("a stretch of single launches goes on until their times add up, up to a bound") {
  for (const Regime regime : {Regime::batch, Regime::fresh}) {
    Bench bench;
    TimeJob job = bench.job(1);
    job.arms.pop_back();
    job.cache = regime == Regime::batch ? CacheState::cold : CacheState::warm;
    job.regime = regime;
    job.launches_per_sample = 8;
    job.first_block = 1;
    for (const double ms : {1.0, 10000.0}) {
      if (ms > 1 && regime == Regime::batch) continue;  // the same bound, and thousands of flushes are slow here
      job.stretch_ms = ms;
      bench.fake.log.clear();
      const TimeOutcome outcome = bench.backend->time(job);
      REQUIRE(outcome.run.ok);
      CHECK(outcome.us[0][0] == Approx(5).epsilon(1e-3));
      std::size_t launches = 0;
      for (const auto& pair : bench.timed()) launches += pair.scale;
      const std::size_t least = ms == 1 ? 200 : 4096;
      CHECK(launches >= least);
      CHECK(launches < least + 700);  // the pilot's as well
    }
  }
}
