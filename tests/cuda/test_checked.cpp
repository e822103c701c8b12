// Checked samples on a driver that executes what it is told: what lies around and in the buffers before a launch, and
// what is shown afterwards.
#include <algorithm>
#include <cstring>
#include <set>

#include "runner/marks.h"
#include "tests/cuda/fake_backend.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;
using namespace kgate::test;

namespace {

constexpr int kCount = 1024;
constexpr std::uint64_t kBytes = 4 * kCount;

// Two kernels, y = 2 x, each an arm; `past` writes behind y as well, `idle` writes nothing after its first launches.
struct Bench {
  explicit Bench(std::uint64_t pool_bytes = 64u << 20) {
    fake.memory_bytes = 4ull << 30;
    for (const char* name : {"a", "b"}) {
      FakeKernel kernel = scale_kernel();
      kernel.action = [this, scale = kernel.action](void** p) {
        if (idle) return;
        scale(p);
        const std::uint32_t word = 0x12345678;
        if (past) std::memcpy(reinterpret_cast<void*>(parameter<std::uint64_t>(p, 0) + kBytes), &word, sizeof word);
      };
      fake.kernels[name] = kernel;
    }
    backend = backend_over(fake);
    load_all(*backend, fake);
    backend->allocate(scale_buffers(kBytes, pool_bytes));
    write_floats(*backend, 1, std::vector<float>(kCount, 3), 0);
    write_floats(*backend, 1, std::vector<float>(kCount, 4), 2);
  }

  TimeJob job(Regime regime) const {
    TimeJob job;
    for (const char* name : {"a", "b"}) {
      Launch launch = scale_launch(kCount, 2);
      launch.entry = name;
      job.arms.push_back({0, {launch}});
    }
    job.blocks = 10;
    job.seed = 7;
    job.regime = regime;
    job.checked = {0, 3, 4, 7, 8, 9};
    return job;
  }

  struct Look {
    SampleView sample;
    std::vector<float> y = std::vector<float>(kCount);
    Bytes before = Bytes(kGuardBytes), after = Bytes(kGuardBytes);
  };
  std::vector<Look> time(const TimeJob& job) {
    std::vector<Look> looks;
    const auto outcome = backend->time(job, [&](const SampleView& sample) {
      Look look;
      look.sample = sample;
      sample.read({0, kGuardBytes, kBytes}, std::as_writable_bytes(std::span(look.y)));
      sample.read({0, 0, kGuardBytes}, look.before);
      sample.read({0, kGuardBytes + kBytes, kGuardBytes}, look.after);
      looks.push_back(std::move(look));
    });
    CHECK(outcome.run.fault == "");
    return looks;
  }

  FakeDriver fake;
  std::unique_ptr<Backend> backend;
  bool past = false, idle = false;
};

bool all_are(ByteView bytes, std::byte value) {
  return std::all_of(bytes.begin(), bytes.end(), [value](std::byte one) { return one == value; });
}

}  // namespace

TEST_CASE("a checked block shows the outputs of its last arm, between red zones, and the content they belong to") {
  for (const Regime regime : {Regime::batch, Regime::fresh}) {
    for (const std::uint64_t pool : {std::uint64_t{64} << 20, std::uint64_t{0}}) {
      INFO("fresh " << (regime == Regime::fresh) << ", pool " << pool);
      Bench bench(pool);
      const TimeJob job = bench.job(regime);
      std::set<std::uint32_t> arms, variants;
      std::vector<std::uint32_t> blocks;
      for (const auto& look : bench.time(job)) {
        blocks.push_back(look.sample.block);
        arms.insert(look.sample.arm);
        variants.insert(look.sample.variant);
        CHECK(look.y == std::vector<float>(kCount, look.sample.variant == 2 ? 8.0f : 6.0f));
        CHECK(all_are(look.before, marks_of(job, look.sample.block).guard));
        CHECK(all_are(look.after, marks_of(job, look.sample.block).guard));
      }
      CHECK(blocks == job.checked);
      CHECK(arms.size() == 2);
      CHECK(variants.size() == (regime == Regime::fresh ? 2 : 1));
    }
  }
}

TEST_CASE("a kernel that leaves its timed launches out shows the block's poison on the GPU") {
  for (const Regime regime : {Regime::batch, Regime::fresh}) {
    Bench bench;
    bench.idle = true;
    const TimeJob job = bench.job(regime);
    for (const auto& look : bench.time(job))
      CHECK(all_are(std::as_bytes(std::span(look.y)), marks_of(job, look.sample.block).poison));
  }
}

TEST_CASE("what a timed launch writes past the end of a buffer on the GPU lies in its red zone") {
  Bench bench;
  bench.past = true;
  const auto looks = bench.time(bench.job(Regime::batch));
  REQUIRE(looks.size() == 6);
  const std::uint32_t word = 0x12345678;
  for (const auto& look : looks) CHECK(std::memcmp(look.after.data(), &word, sizeof word) == 0);
}
