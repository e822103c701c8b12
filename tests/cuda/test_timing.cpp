// The method of timing, on a driver whose clock moves by what the test says: what is launched on what, in which order,
// and what comes out.
#include <algorithm>
#include <set>

#include "tests/cuda/fake_backend.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;
using namespace kgate::test;

namespace {

constexpr std::uint64_t kBytes = 4096;
constexpr int kCount = 1024;

struct Bench {
  explicit Bench(std::uint64_t pool_bytes, double us = 5) {
    fake.memory_bytes = 4ull << 30;
    FakeKernel kernel = scale_kernel(us);
    const auto scale = kernel.action;
    kernel.action = [this, scale](void** p) {
      outputs.push_back(parameter<std::uint64_t>(p, 0));
      inputs.push_back(parameter<std::uint64_t>(p, 1));
      const float first = *reinterpret_cast<const float*>(inputs.back());
      wrong_inputs += first != 3.0f;
      scale(p);
    };
    fake.kernels["scale"] = kernel;
    backend = backend_over(fake);
    load_all(*backend, fake, 0);
    load_all(*backend, fake, 1);
    pool = backend->allocate(scale_buffers(kBytes, pool_bytes));
    write_floats(*backend, 1, std::vector<float>(kCount, 3.0f));
  }

  TimeJob job(std::uint32_t blocks) const {
    TimeJob job;
    job.arms = {{0, {scale_launch(kCount, 2)}}, {1, {scale_launch(kCount, 2)}}};
    job.blocks = blocks;
    job.seed = 7;
    return job;
  }

  FakeDriver fake;
  std::unique_ptr<Backend> backend;
  std::uint64_t pool = 0;
  std::vector<std::uint64_t> outputs, inputs;
  int wrong_inputs = 0;
};

template <typename T>
std::size_t distinct(const std::vector<T>& values) {
  return std::set<T>(values.begin(), values.end()).size();
}

}  // namespace

TEST_CASE("a short kernel is timed in graphs of as many launches as last about the time asked for") {
  Bench bench(64u << 20);
  const TimeOutcome outcome = bench.backend->time(bench.job(6));
  REQUIRE(outcome.run.ok);
  CHECK(outcome.regime == "graph");
  CHECK(outcome.launches_per_sample == 70);
  CHECK(outcome.moved);
  REQUIRE(outcome.us.size() == 2);
  for (const auto& arm : outcome.us) {
    REQUIRE(arm.size() == 6);
    for (const double us : arm) CHECK(us == Approx(5).epsilon(1e-4));
  }
}

TEST_CASE("a long kernel is timed launch by launch") {
  Bench bench(64u << 20, 80);
  const TimeOutcome outcome = bench.backend->time(bench.job(3));
  CHECK(outcome.regime == "single");
  CHECK(outcome.launches_per_sample == 1);
  CHECK(outcome.us[1][2] == Approx(80).epsilon(1e-4));
  // Two blocks of the pilot, the second one of 16 launches, and three: every arm once untimed, once timed.
  CHECK(bench.fake.launches.size() == (1 + 16 + 3) * 2 * 2);
}

TEST_CASE("the number of launches can be given, and blocks go on where the last call ended") {
  // One fake driver at a time: the whole first, then the halves.
  const std::size_t block = 2 * 2 * 3;
  const auto inputs_of = [](const std::vector<std::uint32_t>& calls) {
    Bench bench(64u << 20);
    TimeJob job = bench.job(0);
    job.launches_per_sample = 3;
    for (const std::uint32_t blocks : calls) {
      job.blocks = blocks;
      CHECK(bench.backend->time(job).launches_per_sample == 3);
      job.first_block += blocks;
    }
    return bench.inputs;
  };
  const auto whole = inputs_of({4}), first = inputs_of({2}), halves = inputs_of({2, 2});
  REQUIRE(whole.size() >= 4 * block);
  // The second call's blocks are the whole's third and fourth; places count from the first one, which is the pilot's in
  // all of them.
  const auto from_first = [](const std::vector<std::uint64_t>& places, std::size_t from_end) {
    return static_cast<std::int64_t>(places[places.size() - from_end] - places.front());
  };
  CHECK(halves.size() == first.size() + 4 + 2 * block);
  CHECK(from_first(whole, 2 * block) == from_first(halves, 2 * block));
  CHECK(from_first(whole, block) == from_first(halves, block));
  CHECK(from_first(whole, 2 * block) != from_first(whole, block));
}

TEST_CASE("every block has places of its own in the pool, 4 KiB apart, with the inputs copied there") {
  Bench bench(256u << 20);
  TimeJob job = bench.job(20);
  job.launches_per_sample = 2;
  bench.backend->time(job);
  CHECK(bench.wrong_inputs == 0);
  CHECK(distinct(bench.inputs) >= 20);
  CHECK(distinct(bench.outputs) >= 20);
  for (const std::uint64_t place : bench.inputs) CHECK((place - bench.inputs.front()) % 4096 == 0);
  for (std::size_t i = 0; i < bench.inputs.size(); ++i) CHECK(bench.inputs[i] != bench.outputs[i]);
  CHECK(read_floats(*bench.backend, 1, 2) == std::vector<float>{3, 3});
}

TEST_CASE("within a block all arms see the same places") {
  Bench bench(256u << 20);
  TimeJob job = bench.job(10);
  job.launches_per_sample = 2;
  bench.backend->time(job);
  const std::size_t block = 2 * 2 * 2, pilot = bench.inputs.size() - 10 * block;
  for (std::size_t number = 0; number < 10; ++number) {
    const auto first = bench.inputs.begin() + static_cast<std::ptrdiff_t>(pilot + number * block);
    CHECK(std::all_of(first, first + block, [&](std::uint64_t place) { return place == *first; }));
  }
}

TEST_CASE("a fixed placement keeps one place, a segment placement steps by 2 MiB") {
  const auto inputs_of = [](std::uint64_t pool_bytes, Placement placement) {
    Bench bench(pool_bytes);
    TimeJob job = bench.job(10);
    job.launches_per_sample = 2;
    job.placement = placement;
    bench.backend->time(job);
    return bench.inputs;
  };
  CHECK(distinct(inputs_of(64u << 20, Placement::fixed)) == 1);
  const auto segment = inputs_of(256u << 20, Placement::segment);
  CHECK(distinct(segment) > 4);
  for (const std::uint64_t place : segment) CHECK((place - segment.front()) % (2u << 20) == 0);
}

TEST_CASE("without room in the pool buffers stay at home, and the outcome says so") {
  Bench bench(0);
  const TimeOutcome outcome = bench.backend->time(bench.job(3));
  REQUIRE(outcome.run.ok);
  CHECK(!outcome.moved);
  CHECK(distinct(bench.inputs) == 1);
  CHECK(bench.wrong_inputs == 0);
}

TEST_CASE("the order of the arms is random") {
  FakeDriver fake;
  fake.memory_bytes = 4ull << 30;
  std::string order;
  for (const char* name : {"a", "b"}) {
    FakeKernel kernel;
    kernel.us = 100;
    kernel.action = [&order, name](void**) { order += name; };
    fake.kernels[name] = kernel;
  }
  const auto backend = backend_over(fake);
  load_all(*backend, fake);
  backend->allocate({{}, 0});
  Launch a, b;
  a.entry = "a";
  b.entry = "b";
  TimeJob job;
  job.arms = {{0, {a}}, {0, {b}}};
  job.blocks = 40;
  const TimeOutcome outcome = backend->time(job);
  REQUIRE(outcome.run.ok);
  int first_a = 0;
  for (std::size_t at = order.size() - 40 * 4; at < order.size(); at += 4) {
    const std::string block = order.substr(at, 4);
    CHECK((block == "aabb" || block == "bbaa"));
    first_a += block == "aabb";
  }
  CHECK(first_a > 8);
  CHECK(first_a < 32);
}

TEST_CASE(
    "a kernel that works in place gets its input back before every launch, on an instance of its own in a batch") {
  FakeDriver fake;
  fake.memory_bytes = 4ull << 30;
  int wrong = 0;
  std::vector<std::uint64_t> places;
  FakeKernel kernel;  // accumulate(z, sum): z doubles, sum (begins as zero) gets z
  kernel.parameters = {8, 8};
  kernel.action = [&](void** p) {
    auto* z = reinterpret_cast<float*>(parameter<std::uint64_t>(p, 0));
    auto* sum = reinterpret_cast<float*>(parameter<std::uint64_t>(p, 1));
    places.push_back(parameter<std::uint64_t>(p, 0));
    wrong += z[0] != 1.5f || sum[0] != 0.0f;
    z[0] *= 2;
    sum[0] += z[0];
  };
  fake.kernels["accumulate"] = kernel;
  Launch launch;
  launch.entry = "accumulate";
  launch.arguments = {pointer(0), pointer(1)};
  const std::vector<Buffer> buffers{buffer("z", BufferRole::inout, 64), buffer("sum", BufferRole::output, 64, true)};
  for (const std::uint64_t pool : {std::uint64_t{64} << 20, std::uint64_t{0}}) {
    for (const CacheState cache : {CacheState::warm, CacheState::cold}) {
      INFO("pool " << pool << ", cold " << (cache == CacheState::cold));
      places.clear();
      wrong = 0;
      const auto backend = backend_over(fake);
      load_all(*backend, fake);
      backend->allocate({buffers, pool});
      write_floats(*backend, 0, std::vector<float>(16, 1.5f));
      TimeJob job;
      job.arms = {{0, {launch}}, {0, {launch}}};
      job.blocks = 5;
      job.cache = cache;
      const TimeOutcome outcome = backend->time(job);
      REQUIRE(outcome.run.ok);
      CHECK(wrong == 0);
      CHECK(outcome.us[0][0] == Approx(5).epsilon(1e-4));
      const bool batched = pool > 0 && cache == CacheState::warm;
      CHECK(outcome.regime == (batched ? "graph" : "single"));
      if (batched) CHECK(distinct(places) > 5 * 60);
      // What was written is still at home, for the next call and for whoever reads it.
      CHECK(read_floats(*backend, 0, 1) == std::vector<float>{1.5f});
    }
  }
}

TEST_CASE("workspaces that begin as zero are zeroed in every launch sequence, inside the time") {
  FakeDriver fake;
  fake.memory_bytes = 4ull << 30;
  int wrong = 0;
  FakeKernel kernel;
  kernel.parameters = {8};
  kernel.us = 9;
  kernel.action = [&](void** p) {
    auto* count = reinterpret_cast<int*>(parameter<std::uint64_t>(p, 0));
    wrong += *count != 0;
    *count += 1;
  };
  fake.kernels["count"] = kernel;
  const auto backend = backend_over(fake);
  load_all(*backend, fake);
  backend->allocate({{buffer("counter", BufferRole::workspace, 4, true)}, 64u << 20});
  Launch launch;
  launch.entry = "count";
  launch.arguments = {pointer(0)};
  TimeJob job;
  job.arms = {{0, {launch}}};
  job.blocks = 3;
  const TimeOutcome outcome = backend->time(job);
  REQUIRE(outcome.run.ok);
  CHECK(wrong == 0);
  CHECK(outcome.us[0][1] == Approx(10).epsilon(1e-4));  // 9 for the kernel, 1 for setting the memory
}

TEST_CASE("a cold sample is made of single launches, each after a flush that is not timed") {
  Bench bench(64u << 20);
  TimeJob job = bench.job(4);
  job.cache = CacheState::cold;
  job.sample_us = 40;
  const TimeOutcome outcome = bench.backend->time(job);
  REQUIRE(outcome.run.ok);
  CHECK(outcome.regime == "single");
  CHECK(outcome.launches_per_sample == 8);
  for (const double us : outcome.us[0]) CHECK(us == Approx(5).epsilon(1e-4));
}

TEST_CASE("buffers that are restored take no more of the pool than leaves room to draw places from") {
  FakeDriver fake;
  fake.memory_bytes = 4ull << 30;
  FakeKernel kernel;
  kernel.parameters = {8};
  fake.kernels["touch"] = kernel;
  const auto backend = backend_over(fake);
  load_all(*backend, fake);
  backend->allocate({{buffer("z", BufferRole::inout, 4u << 20)}, 64u << 20});
  write_floats(*backend, 0, std::vector<float>(1u << 20, 1.0f));
  Launch launch;
  launch.entry = "touch";
  launch.arguments = {pointer(0)};
  TimeJob job;
  job.arms = {{0, {launch}}};
  job.blocks = 2;
  const TimeOutcome outcome = backend->time(job);
  REQUIRE(outcome.run.ok);
  CHECK(outcome.launches_per_sample == 11);  // three quarters of 64 MiB hold 4 MiB and a red zone so often
}

TEST_CASE("timing nothing, or an arm that was not loaded, is an error of kgate's own") {
  FakeDriver fake;
  const auto backend = backend_over(fake);
  backend->allocate({{}, 0});
  CHECK(error_of([&] { backend->time({}); }) == "internal: timing: there is nothing to time");
  CHECK(error_of([&] { backend->run({3, {}}); }) == "internal: arm 3: was not loaded");
}
