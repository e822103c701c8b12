// Timing on a real GPU. Absolute times are printed, never asserted; what is asserted holds on every GPU: a kernel is as
// fast as itself.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "tests/cuda/gpu.h"

using namespace kgate;
using namespace kgate::runner;
using namespace kgate::test;

namespace {

constexpr std::uint64_t kPool = 2ull << 30;

const char* const kSource =
    "__global__ void scale(float* y, const float* x, int n, float f) {\n"
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = f * x[i]; }\n"
    "__global__ void delay(unsigned cycles) { const long long end = clock64() + cycles; while (clock64() < end) { } }\n"
    "__global__ void grow(float* z, int n) {\n"
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) z[i] = z[i] * 1.5f + "
    "1.0f; }\n";

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

double median_ratio(const TimeOutcome& outcome) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < outcome.us[0].size(); ++i) ratios.push_back(outcome.us[1][i] / outcome.us[0][i]);
  return median(ratios);
}

TimeOutcome timed(Gpu& gpu, const char* what, const TimeJob& job) {
  const auto start = std::chrono::steady_clock::now();
  const TimeOutcome outcome = gpu.backend->time(job);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  INFO(outcome.run.fault);
  REQUIRE(outcome.run.ok);
  std::printf("%-34s %9.2f us, %3u launches a sample (%s), ratio %.4f, %.2f ms a block%s\n", what,
              median(outcome.us[0]), outcome.launches_per_sample, outcome.regime.c_str(),
              outcome.us.size() > 1 ? median_ratio(outcome) : 1.0, took.count() / job.blocks,
              outcome.moved ? "" : ", at home places");
  return outcome;
}

void prepare(Gpu& gpu, std::uint64_t bytes) {
  gpu.load(0, kSource, {"scale", "grow"});
  gpu.load(1, kSource, {"scale", "grow"});
  gpu.backend->allocate({{buffer("y", BufferRole::output, bytes), buffer("x", BufferRole::input, bytes)}, kPool});
  gpu.backend->write({1, kGuardBytes, bytes}, view_of(std::string("\0\0\x80\x3f", 4)));  // 1.0f
}

Launch scale_of(const Gpu& gpu, std::uint64_t bytes) {
  Launch launch;
  launch.entry = "scale";
  launch.grid = {gpu.info.multiprocessors * 4, 1, 1};
  launch.block = {256, 1, 1};
  launch.arguments = {pointer(0), pointer(1), scalar(static_cast<int>(bytes / 4)), scalar(2.0f)};
  return launch;
}

}  // namespace

TEST_CASE("a short kernel is as fast as itself, in graphs, with a new placement for every block") {
  KGATE_NEEDS_GPU(gpu);
  const std::uint64_t bytes = 4u << 20;
  prepare(gpu, bytes);
  TimeJob job;
  job.arms = {{0, {scale_of(gpu, bytes)}}, {1, {scale_of(gpu, bytes)}}};
  job.blocks = 60;
  job.seed = 11;
  const TimeOutcome outcome = timed(gpu, "scale 4 MiB, A/A", job);
  CHECK(outcome.regime == "graph");
  CHECK(outcome.moved);
  CHECK(std::abs(median_ratio(outcome) - 1) < 0.02);
  for (const double us : outcome.us[0]) CHECK(us > 0);
}

TEST_CASE("a long kernel is as fast as itself, launch by launch, with a new placement for every block") {
  KGATE_NEEDS_GPU(gpu);
  const std::uint64_t bytes = 512u << 20;
  prepare(gpu, bytes);
  TimeJob job;
  job.arms = {{0, {scale_of(gpu, bytes)}}, {1, {scale_of(gpu, bytes)}}};
  job.blocks = 30;
  job.seed = 12;
  const TimeOutcome outcome = timed(gpu, "scale 512 MiB, A/A", job);
  CHECK(outcome.regime == "single");
  CHECK(outcome.launches_per_sample == 1);
  CHECK(std::abs(median_ratio(outcome) - 1) < 0.02);
}

TEST_CASE("a kernel that does a quarter more work is seen to be slower") {
  KGATE_NEEDS_GPU(gpu);
  const std::uint64_t bytes = 64u << 20;
  prepare(gpu, bytes);
  Launch less = scale_of(gpu, bytes);
  less.arguments[2] = scalar(static_cast<int>(bytes / 4 / 5 * 4));
  TimeJob job;
  job.arms = {{0, {less}}, {1, {scale_of(gpu, bytes)}}};
  job.blocks = 40;
  job.seed = 13;
  CHECK(median_ratio(timed(gpu, "scale 51 MiB against 64 MiB", job)) > 1.03);
}

TEST_CASE("a kernel that works in place is as fast as itself, and its input is still there afterwards") {
  KGATE_NEEDS_GPU(gpu);
  const std::uint64_t bytes = 4u << 20;
  gpu.load(0, kSource, {"grow"});
  gpu.load(1, kSource, {"grow"});
  Launch launch;
  launch.entry = "grow";
  launch.grid = {gpu.info.multiprocessors * 4, 1, 1};
  launch.block = {256, 1, 1};
  launch.arguments = {pointer(0), scalar(static_cast<int>(bytes / 4))};
  for (const std::uint64_t pool : {kPool, std::uint64_t{0}}) {
    gpu.backend->allocate({{buffer("z", BufferRole::inout, bytes)}, pool});
    gpu.backend->write({0, kGuardBytes, bytes}, view_of(std::string("\0\0\x80\x3f", 4)));
    TimeJob job;
    job.arms = {{0, {launch}}, {1, {launch}}};
    job.blocks = 40;
    job.seed = 14;
    const TimeOutcome outcome = timed(gpu, pool > 0 ? "grow 4 MiB in place, A/A" : "grow 4 MiB in place, no pool", job);
    CHECK(outcome.regime == (pool > 0 ? "graph" : "single"));
    CHECK(outcome.moved == (pool > 0));
    if (pool > 0) CHECK(std::abs(median_ratio(outcome) - 1) < 0.02);
    CHECK(read_floats(*gpu.backend, 0, 4) == std::vector<float>(4, 1.0f));
  }
}

TEST_CASE("a cold cache is timed launch by launch") {
  KGATE_NEEDS_GPU(gpu);
  const std::uint64_t bytes = 4u << 20;
  prepare(gpu, bytes);
  TimeJob job;
  job.arms = {{0, {scale_of(gpu, bytes)}}, {1, {scale_of(gpu, bytes)}}};
  job.blocks = 30;
  job.seed = 15;
  job.cache = CacheState::cold;
  const TimeOutcome outcome = timed(gpu, "scale 4 MiB, cold, A/A", job);
  CHECK(outcome.regime == "single");
  CHECK(outcome.launches_per_sample > 1);
  CHECK(std::abs(median_ratio(outcome) - 1) < 0.05);
  job.cache = CacheState::warm;
  timed(gpu, "scale 4 MiB, warm, A/A", job);
}

TEST_CASE("a tiny kernel, placements by segments and a fixed placement can be timed") {
  KGATE_NEEDS_GPU(gpu);
  const std::uint64_t bytes = 4096;
  prepare(gpu, bytes);
  TimeJob job;
  Launch launch = scale_of(gpu, bytes);
  launch.grid = {1, 1, 1};
  job.arms = {{0, {launch}}, {1, {launch}}};
  job.blocks = 30;
  job.seed = 16;
  for (const Placement placement : {Placement::any, Placement::segment, Placement::fixed}) {
    job.placement = placement;
    const char* name = placement == Placement::any       ? "scale 4 KiB, any"
                       : placement == Placement::segment ? "scale 4 KiB, segment"
                                                         : "scale 4 KiB, fixed";
    CHECK(std::abs(median_ratio(timed(gpu, name, job)) - 1) < 0.02);
  }
}

namespace {

// Three contents: 1, 2 and 3 in every element.
void write_variants(Gpu& gpu, std::uint32_t index, std::uint64_t bytes) {
  gpu.backend->write({index, kGuardBytes, bytes}, view_of(std::string("\0\0\x80\x3f", 4)));
  gpu.backend->write({index, kGuardBytes, bytes, 1}, view_of(std::string("\0\0\0\x40", 4)));
  gpu.backend->write({index, kGuardBytes, bytes, 2}, view_of(std::string("\0\0\x40\x40", 4)));
}

TimeJob two_arms(const Launch& launch, std::uint32_t blocks, std::uint64_t seed) {
  TimeJob job;
  job.arms = {{0, {launch}}, {1, {launch}}};
  job.blocks = blocks;
  job.seed = seed;
  return job;
}

}  // namespace

TEST_CASE("in the fresh regime a short kernel is as fast as itself, and about as fast as in a batch") {
  KGATE_NEEDS_GPU(gpu);
  const std::uint64_t bytes = 4u << 20;
  prepare(gpu, bytes);
  write_variants(gpu, 1, bytes);
  TimeJob job = two_arms(scale_of(gpu, bytes), 100, 21);
  const double batch = median(timed(gpu, "scale 4 MiB, in graphs, A/A", job).us[0]);
  job.regime = Regime::fresh;
  const TimeOutcome outcome = timed(gpu, "scale 4 MiB, fresh, A/A", job);
  CHECK(outcome.regime == "fresh");
  CHECK(outcome.launches_per_sample >= 2);
  CHECK(outcome.launches_per_sample <= 8);
  CHECK(std::abs(median_ratio(outcome) - 1) < 0.01);
  // A processor that falls behind would add its own microseconds, several a launch.
  CHECK(median(outcome.us[0]) < 2 * batch + 5);
  job.cache = CacheState::cold;
  CHECK(std::abs(median_ratio(timed(gpu, "scale 4 MiB, fresh and cold, A/A", job)) - 1) < 0.05);
  CHECK(read_floats(*gpu.backend, 1, 2) == std::vector<float>{1, 1});
}

TEST_CASE("the fresh regime works at home places, in place, and for long kernels") {
  KGATE_NEEDS_GPU(gpu);
  gpu.load(0, kSource, {"grow"});
  gpu.load(1, kSource, {"grow"});
  for (const std::uint64_t bytes : {std::uint64_t{4} << 20, std::uint64_t{256} << 20}) {
    for (const std::uint64_t pool : {kPool, std::uint64_t{0}}) {
      gpu.backend->allocate({{buffer("z", BufferRole::inout, bytes)}, pool});
      write_variants(gpu, 0, bytes);
      Launch launch;
      launch.entry = "grow";
      launch.grid = {gpu.info.multiprocessors * 4, 1, 1};
      launch.block = {256, 1, 1};
      launch.arguments = {pointer(0), scalar(static_cast<int>(bytes / 4))};
      TimeJob job = two_arms(launch, 20, 22);
      job.regime = Regime::fresh;
      const TimeOutcome outcome = timed(gpu, pool > 0 ? "grow in place, fresh" : "grow in place, fresh, no pool", job);
      CHECK(outcome.moved == (pool > 0));
      CHECK(std::abs(median_ratio(outcome) - 1) < 0.05);
      CHECK(read_floats(*gpu.backend, 0, 4) == std::vector<float>(4, 1.0f));
    }
  }
}

TEST_CASE("a planted tail is seen, in graphs and in the fresh regime") {
  KGATE_NEEDS_GPU(gpu);
  const std::uint64_t bytes = 4u << 20;
  prepare(gpu, bytes);
  gpu.load(9, kSource, {"delay"});
  Launch delay;
  delay.entry = "delay";
  delay.code = 9;
  delay.arguments = {scalar(20000u)};  // cycles: about 10 us
  TimeJob job = two_arms(scale_of(gpu, bytes), 40, 23);
  job.arms[1].tail = {delay};
  for (const Regime regime : {Regime::batch, Regime::fresh}) {
    job.regime = regime;
    const TimeOutcome outcome = timed(gpu, "scale 4 MiB against itself and a tail", job);
    const double added = (median(outcome.us[1]) - median(outcome.us[0])) * outcome.launches_per_sample;
    std::printf("%-34s %9.2f us a sample\n", "  the tail", added);
    CHECK(added > 5);
    CHECK(added < 40);
  }
}

TEST_CASE("a kernel that remembers its input is quicker in batches than in the fresh regime, an honest one is not") {
  KGATE_NEEDS_GPU(gpu);
  const std::uint64_t bytes = 16u << 20;
  prepare(gpu, bytes);
  // Every block compares one element with what it was at the last launch.
  gpu.load(
      1,
      "__device__ float last[4096];\n"
      "__global__ void scale(float* y, const float* x, int n, float f) {\n"
      "  __shared__ bool known;\n"
      "  if (threadIdx.x == 0) { known = last[blockIdx.x] == x[blockIdx.x]; last[blockIdx.x] = x[blockIdx.x]; }\n"
      "  __syncthreads();\n"
      "  if (known) return;\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = f * x[i]; }\n",
      {"scale"});
  write_variants(gpu, 1, bytes);
  TimeJob job = two_arms(scale_of(gpu, bytes), 40, 24);
  const double batch = median_ratio(timed(gpu, "scale 16 MiB and one that remembers", job));
  job.regime = Regime::fresh;
  const double fresh = median_ratio(timed(gpu, "the same, fresh", job));
  CHECK(batch < 0.8);
  CHECK(fresh > 0.9);
}

TEST_CASE("a stretch lasts as long as asked") {
  KGATE_NEEDS_GPU(gpu);
  const std::uint64_t bytes = 4u << 20;
  prepare(gpu, bytes);
  TimeJob job = two_arms(scale_of(gpu, bytes), 4, 25);
  job.stretch_ms = 100;
  const auto start = std::chrono::steady_clock::now();
  const TimeOutcome outcome = timed(gpu, "scale 4 MiB, stretches, A/A", job);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  CHECK(outcome.regime == "graph");
  CHECK(took.count() > 4 * 2 * 100);
  CHECK(std::abs(median_ratio(outcome) - 1) < 0.01);
}
