#include <map>

#include "runner/marks.h"
#include "tests/host/host_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::runner;

namespace {

// y is x + 1 but where x is negative; past the end it writes where asked to.
constexpr const char* kAdd = R"(
  extern "C" __global__ void add(float* y, const float* x, int n, int past) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] >= 0) y[i] = x[i] + 1;
    if (i == 0 && past) y[n] = 1;
  })";

struct Bench : Host {
  std::vector<SampleView> seen;
  std::map<std::uint32_t, std::vector<float>> outputs;    // by block
  std::map<std::uint32_t, std::vector<std::byte>> zones;  // behind y

  explicit Bench(float x, std::uint64_t pool = 4 << 20) {
    load(kAdd, {"add"}, 0);
    load(kAdd, {"add"}, 1);
    add("y", BufferRole::output, std::vector<float>(64));
    add("x", BufferRole::input, std::vector<float>(64, x));
    allocate(pool);
  }

  TimeJob job(Regime regime, int past = 0) const {
    const Launch launch =
        launch_of("add", {1, 1, 1}, {64, 1, 1}, {buffer(0), buffer(1), scalar<int>(64), scalar<int>(past)});
    TimeJob job;
    job.arms = {{0, {launch}}, {1, {launch}}};
    job.blocks = 12;
    job.sample_us = 50;
    job.seed = 5;
    job.regime = regime;
    job.checked = {1, 4, 5, 9, 10, 11};
    return job;
  }

  void time(const TimeJob& job) {
    const auto outcome = backend->time(job, [&](const SampleView& sample) {
      seen.push_back(sample);
      std::vector<float> y(64);
      sample.read({0, kGuardBytes, 256}, std::as_writable_bytes(std::span(y)));
      outputs[sample.block] = y;
      zones[sample.block].resize(kGuardBytes);
      sample.read({0, kGuardBytes + 256, kGuardBytes}, zones[sample.block]);
    });
    CHECK(outcome.run.fault == "");
  }
};

}  // namespace

TEST_CASE("a checked block shows what its last arm wrote, and chance decides which arm that is") {
  for (const Regime regime : {Regime::batch, Regime::fresh}) {
    for (const std::uint64_t pool : {std::uint64_t{4} << 20, std::uint64_t{4096}}) {
      Bench bench(2, pool);
      const TimeJob job = bench.job(regime);
      bench.time(job);
      std::vector<std::uint32_t> blocks, arms;
      for (const auto& one : bench.seen) {
        blocks.push_back(one.block);
        arms.push_back(one.arm);
        CHECK(bench.outputs[one.block] == std::vector<float>(64, 3.0f));
        CHECK(bench.zones[one.block] == std::vector<std::byte>(kGuardBytes, marks_of(job, one.block).guard));
      }
      CHECK(blocks == job.checked);
      CHECK(std::count(arms.begin(), arms.end(), 0u) > 0);
      CHECK(std::count(arms.begin(), arms.end(), 1u) > 0);
    }
  }
}

TEST_CASE("what a checked sample does not write is poison, other poison each time") {
  for (const Regime regime : {Regime::batch, Regime::fresh}) {
    Bench bench(-1);
    const TimeJob job = bench.job(regime);
    bench.time(job);
    for (const auto& [block, y] : bench.outputs) {
      const auto bytes = std::as_bytes(std::span(y));
      CHECK(std::all_of(bytes.begin(), bytes.end(),
                        [&, b = block](std::byte value) { return value == marks_of(job, b).poison; }));
    }
    CHECK(bench.outputs.size() == 6);
  }
}

TEST_CASE("what a checked sample writes past the end of a buffer lies in its red zone") {
  Bench bench(2);
  bench.time(bench.job(Regime::batch, 1));
  REQUIRE(bench.zones.size() == 6);
  const float one = 1;
  for (const auto& [block, zone] : bench.zones) CHECK(std::memcmp(zone.data(), &one, sizeof one) == 0);
}

TEST_CASE("in the fresh regime a checked sample names the content that its last launch saw") {
  Bench bench(2);
  const std::vector<float> five(64, 5.0f), seven(64, 7.0f);
  bench.backend->write({1, kGuardBytes, 256, 3}, std::as_bytes(std::span(five)));
  bench.backend->write({1, kGuardBytes, 256, 6}, std::as_bytes(std::span(seven)));
  bench.time(bench.job(Regime::fresh));
  const std::map<std::uint32_t, float> expected{{0, 3}, {3, 6}, {6, 8}};
  for (const auto& one : bench.seen) CHECK(bench.outputs[one.block].front() == expected.at(one.variant));
  CHECK(bench.seen.size() == 6);
}
