// The fresh regime on a driver whose clock moves by what the test says: which inputs each launch sees, and what lies
// between the events.
#include <algorithm>
#include <set>

#include "runner/cuda/hold.h"
#include "tests/cuda/fake_backend.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;
using namespace kgate::test;

namespace {

constexpr int kCount = 1024;
constexpr std::uint64_t kBytes = 4 * kCount;

// What one launch found: the kernel, its input's first element, and whether its output was poisoned.
struct Seen {
  std::string kernel;
  float input = 0;
  bool poisoned = false;
};

// Two kernels of 5 us, y = 2 x, each an arm; x is 3 in variant 0.
struct Bench {
  explicit Bench(std::uint64_t pool_bytes = 64u << 20, std::uint64_t memory_bytes = 4ull << 30) {
    fake.memory_bytes = memory_bytes;
    for (const char* name : {"a", "b"}) {
      FakeKernel kernel = scale_kernel();
      kernel.action = [this, name, scale = kernel.action](void** p) {
        unsigned y = 0;
        std::memcpy(&y, reinterpret_cast<const void*>(parameter<std::uint64_t>(p, 0)), sizeof y);
        seen.push_back({name, *reinterpret_cast<const float*>(parameter<std::uint64_t>(p, 1)), y == ~0u});
        scale(p);
      };
      fake.kernels[name] = kernel;
    }
    backend = backend_over(fake);
    load_all(*backend, fake);
    backend->allocate(scale_buffers(kBytes, pool_bytes));
    write(3, 0);
  }

  void write(float value, std::uint32_t variant) {
    write_floats(*backend, 1, std::vector<float>(kCount, value), variant);
  }

  TimeJob job(std::uint32_t blocks) const {
    TimeJob job;
    for (const char* name : {"a", "b"}) {
      Launch launch = scale_launch(kCount, 2);
      launch.entry = name;
      job.arms.push_back({0, {launch}});
    }
    job.blocks = blocks;
    job.seed = 7;
    job.regime = Regime::fresh;
    return job;
  }

  // The inputs of the last blocks' launches, those of the arm that came first and those of the other.
  std::vector<std::pair<std::vector<float>, std::vector<float>>> inputs(std::size_t blocks, std::size_t repeats) const {
    std::vector<std::pair<std::vector<float>, std::vector<float>>> found(blocks);
    auto at = seen.end() - static_cast<std::ptrdiff_t>(blocks * 2 * (repeats + 1));
    for (auto& [first, second] : found) {
      for (std::size_t i = 0; i <= repeats; ++i) first.push_back((at++)->input);
      for (std::size_t i = 0; i <= repeats; ++i) second.push_back((at++)->input);
    }
    return found;
  }

  FakeDriver fake;
  std::unique_ptr<Backend> backend;
  std::vector<Seen> seen;
};

std::set<float> values(const std::vector<Seen>& seen) {
  std::set<float> found;
  for (const Seen& one : seen) found.insert(one.input);
  return found;
}

}  // namespace

TEST_CASE("in the fresh regime every launch sees another variant, the same for both arms, and poisoned outputs") {
  for (const std::uint64_t pool : {std::uint64_t{64} << 20, std::uint64_t{0}}) {
    for (const CacheState cache : {CacheState::warm, CacheState::cold}) {
      INFO("pool " << pool << ", cold " << (cache == CacheState::cold));
      Bench bench(pool);
      bench.write(4, 1);
      bench.write(5, 7);
      TimeJob job = bench.job(12);
      job.cache = cache;
      const TimeOutcome outcome = bench.backend->time(job);
      REQUIRE(outcome.run.ok);
      CHECK(outcome.regime == "fresh");
      CHECK(outcome.launches_per_sample == 8);
      CHECK(outcome.moved == (pool > 0));
      for (const auto& arm : outcome.us) {
        REQUIRE(arm.size() == 12);
        for (const double us : arm) CHECK(us == Approx(5).epsilon(1e-4));
      }
      std::set<std::vector<float>> sequences;
      for (const auto& [first, second] : bench.inputs(12, 8)) {
        CHECK(first == second);
        CHECK(std::adjacent_find(first.begin(), first.end()) == first.end());
        sequences.insert(first);
      }
      CHECK(sequences.size() > 6);
      CHECK(values(bench.seen) == std::set<float>{3, 4, 5});
      CHECK(std::all_of(bench.seen.begin(), bench.seen.end(), [](const Seen& one) { return one.poisoned; }));
      // Home places hold variant 0 again, for the next call and for whoever reads them.
      CHECK(read_floats(*bench.backend, 1, 2) == std::vector<float>{3, 3});
    }
  }
}

TEST_CASE("the batch regime sees variant 0 alone, whatever else was written") {
  Bench bench;
  bench.write(4, 1);
  TimeJob job = bench.job(3);
  job.regime = Regime::batch;
  CHECK(bench.backend->time(job).regime == "graph");
  CHECK(values(bench.seen) == std::set<float>{3});
}

TEST_CASE("without further variants the fresh regime copies the one content again before every launch") {
  for (const std::uint64_t pool : {std::uint64_t{64} << 20, std::uint64_t{0}}) {
    Bench bench(pool);
    bench.fake.keep_log = true;
    TimeJob job = bench.job(2);
    job.sample_us = 1;
    const TimeOutcome outcome = bench.backend->time(job);
    REQUIRE(outcome.run.ok);
    CHECK(outcome.regime == "fresh");
    CHECK(outcome.launches_per_sample == 2);
    const auto copies = std::count(bench.fake.log.begin(), bench.fake.log.end(), "copy " + std::to_string(kBytes));
    CHECK(copies >= static_cast<std::ptrdiff_t>(bench.seen.size()));
  }
}

TEST_CASE(
    "a sample of the fresh regime has as many launches as asked, else 2 to 8 by what lasts about the time asked for") {
  const auto repeats = [](double sample_us, std::uint32_t asked) {
    Bench bench;
    TimeJob job = bench.job(1);
    job.sample_us = sample_us;
    job.launches_per_sample = asked;
    return bench.backend->time(job).launches_per_sample;
  };
  CHECK(repeats(1, 0) == 2);
  CHECK(repeats(25, 0) == 5);
  CHECK(repeats(350, 0) == 8);
  CHECK(repeats(350, 3) == 3);
  CHECK(repeats(350, 20) == 20);
}

TEST_CASE("between the events of the fresh regime is one launch, and the GPU is held busy before the first") {
  Bench bench;
  bench.write(4, 1);
  TimeJob job = bench.job(1);
  job.launches_per_sample = 3;
  job.first_block = 1;
  bench.fake.keep_log = true;
  REQUIRE(bench.backend->time(job).run.ok);
  const std::string poison = "set " + std::to_string(kBytes), copy = "copy " + std::to_string(kBytes);
  // The second arm of the only block: the untimed launch, memsets of an eighth of the L2, three repeats.
  const auto& log = bench.fake.log;
  const auto first = std::find(log.rbegin(), log.rend(), "set 131072").base();
  const std::string kernel = bench.seen.back().kernel;
  const std::vector<std::string> repeat{poison, copy, "event", kernel, "event"};
  std::vector<std::string> expected;
  for (int i = 0; i < 3; ++i) expected.insert(expected.end(), repeat.begin(), repeat.end());
  CHECK(std::vector<std::string>(first, log.end()) == expected);
  auto held = first;
  while (*(held - 1) == "set 131072") --held;
  CHECK(first - held >= 3 * 5 * 4);  // 1 us each here: 4 us for every operation that the processor enqueues
  CHECK(std::vector<std::string>(held - 3, held) == std::vector<std::string>{poison, copy, kernel});
}

TEST_CASE("large inputs hold the GPU themselves, and a flush of the cache does") {
  CHECK(cuda::Hold::needed_us(6, 4096) > 20);
  CHECK(cuda::Hold::needed_us(6, 1u << 30) == 0);
  const auto holds = [](CacheState cache) {
    Bench bench;
    TimeJob job = bench.job(1);
    job.cache = cache;
    bench.fake.keep_log = true;
    REQUIRE(bench.backend->time(job).run.ok);
    return std::count(bench.fake.log.begin(), bench.fake.log.end(), "set 131072");
  };
  CHECK(holds(CacheState::warm) > 0);
  CHECK(holds(CacheState::cold) == 0);
}

TEST_CASE("in the cold state the flush is the last thing before the first event, after the copies") {
  Bench bench;
  TimeJob job = bench.job(1);
  job.cache = CacheState::cold;
  bench.fake.keep_log = true;
  REQUIRE(bench.backend->time(job).run.ok);
  const std::vector<std::string> end(bench.fake.log.end() - 6, bench.fake.log.end());
  const std::string flush = "set " + std::to_string((2u << 20) + (8u << 20));
  CHECK(end == std::vector<std::string>{"set " + std::to_string(kBytes), "copy " + std::to_string(kBytes), flush,
                                        "event", bench.seen.back().kernel, "event"});
}

TEST_CASE("variants that find no room make the fresh regime unsupported, and nothing else") {
  // 1 MiB of buffers; a quarter of a GiB stays free beside variants.
  Bench bench(0, (256u << 20) + (24u << 20));
  bench.backend->allocate(scale_buffers(12u << 20, 0));
  const std::vector<float> large(3u << 20, 3.0f);
  write_floats(*bench.backend, 1, large);
  for (const std::uint32_t variant : {1u, 2u, 3u}) write_floats(*bench.backend, 1, large, variant);
  const TimeOutcome outcome = bench.backend->time(bench.job(2));
  CHECK_FALSE(outcome.run.ok);
  CHECK(outcome.run.unsupported);
  CHECK(outcome.run.fault == "no room for 4 variants of the inputs");
  TimeJob batch = bench.job(2);
  batch.regime = Regime::batch;
  CHECK(bench.backend->time(batch).run.ok);
  // The next allocation starts anew.
  bench.backend->allocate(scale_buffers(kBytes, 0));
  bench.write(3, 0);
  bench.write(4, 1);
  CHECK(bench.backend->time(bench.job(2)).run.ok);
}

TEST_CASE("variants are gone with the next allocation") {
  Bench bench;
  bench.write(4, 1);
  bench.backend->allocate(scale_buffers(kBytes, 64u << 20));
  bench.write(6, 0);
  REQUIRE(bench.backend->time(bench.job(2)).run.ok);
  CHECK(values(bench.seen) == std::set<float>{6});
}

TEST_CASE(
    "a buffer without content of its own in a variant has that of variant 0, inouts get theirs before every launch") {
  FakeDriver fake;
  fake.memory_bytes = 4ull << 30;
  std::set<std::pair<float, float>> seen;
  FakeKernel kernel;  // grow(z, x): z += x
  kernel.parameters = {8, 8};
  kernel.action = [&](void** p) {
    auto* z = reinterpret_cast<float*>(parameter<std::uint64_t>(p, 0));
    const auto* x = reinterpret_cast<const float*>(parameter<std::uint64_t>(p, 1));
    seen.emplace(z[0], x[0]);
    z[0] += x[0];
  };
  fake.kernels["grow"] = kernel;
  for (const std::uint64_t pool : {std::uint64_t{64} << 20, std::uint64_t{0}}) {
    seen.clear();
    const auto backend = backend_over(fake);
    load_all(*backend, fake);
    backend->allocate({{buffer("z", BufferRole::inout, 64), buffer("x", BufferRole::input, 64)}, pool});
    write_floats(*backend, 0, std::vector<float>(16, 1));
    write_floats(*backend, 1, std::vector<float>(16, 10));
    write_floats(*backend, 0, std::vector<float>(16, 2), 1);
    write_floats(*backend, 1, std::vector<float>(16, 20), 2);
    Launch launch;
    launch.entry = "grow";
    launch.arguments = {pointer(0), pointer(1)};
    TimeJob job;
    job.arms = {{0, {launch}}};
    job.blocks = 10;
    job.regime = Regime::fresh;
    REQUIRE(backend->time(job).run.ok);
    CHECK(seen == std::set<std::pair<float, float>>{{1, 10}, {2, 10}, {1, 20}});
    CHECK(read_floats(*backend, 0, 1) == std::vector<float>{1});
  }
}

TEST_CASE("a variant that is not a whole payload, or of no buffer, is an error of kgate's own") {
  Bench bench;
  const Bytes some(16);
  CHECK(error_of([&] {
          bench.backend->write({1, kGuardBytes, 16, 1}, some);
        }) == "internal: device memory: variant 1 of buffer 1 is not its whole payload");
  CHECK(error_of([&] {
          bench.backend->write({5, kGuardBytes, 16, 1}, some);
        }) == "internal: device memory: variant 1 of buffer 5 is not its whole payload");
}
