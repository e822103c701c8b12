#include <numeric>

#include "tests/host/host_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;

namespace {

std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

}  // namespace

TEST_CASE("A vector addition without barriers gives every element") {
  Host host;
  const Loaded loaded = host.load(R"(
    extern "C" __global__ void __launch_bounds__(256) add(float* y, const float* __restrict__ a, const float* __restrict__ b, int n) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = a[i] + __ldg(b + i);
    })",
                                  {"add"});
  CHECK(loaded.parameter_bytes.at("add") == std::vector<std::uint32_t>{8, 8, 8, 4});
  const std::size_t n = 1000;
  host.add("y", BufferRole::output, std::vector<float>(n, -1.0f));
  host.add("a", BufferRole::input, counting(n));
  host.add("b", BufferRole::input, std::vector<float>(n, 0.5f));
  host.allocate();
  const RunOutcome outcome =
      host.run(launch_of("add", {4, 1, 1}, {256, 1, 1}, {buffer(0), buffer(1), buffer(2), scalar<int>(1000)}));
  REQUIRE(outcome.fault == "");
  CHECK(outcome.ok);
  const std::vector<float> y = host.read<float>(0);
  for (std::size_t i = 0; i < n; ++i) REQUIRE(y[i] == static_cast<float>(i) + 0.5f);
}

TEST_CASE("A block reduction in static shared memory waits at every barrier") {
  Host host;
  const Loaded loaded = host.load(R"(
    template <int BLOCK> __global__ void sums(float* y, const float* x) {
      __shared__ float part[BLOCK];
      part[threadIdx.x] = x[blockIdx.x * BLOCK + threadIdx.x];
      for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
      }
      if (threadIdx.x == 0) y[blockIdx.x] = part[0];
    })",
                                  {"sums<256>"});
  CHECK(loaded.resources.at("sums<256>").shared_bytes == 1024);
  host.add("y", BufferRole::output, std::vector<float>(64));
  host.add("x", BufferRole::input, counting(64 * 256));
  host.allocate();
  REQUIRE(host.run(launch_of("sums<256>", {64, 1, 1}, {256, 1, 1}, {buffer(0), buffer(1)})).fault == "");
  const std::vector<float> y = host.read<float>(0);
  for (std::size_t i = 0; i < 64; ++i) REQUIRE(y[i] == static_cast<float>(256 * 256 * i + 255 * 128));
}

TEST_CASE("A warp reduction by shuffles sums 32 lanes, also in a block that is no whole number of warps") {
  Host host;
  host.load(R"(
    __global__ void warps(int* y, const int* x, int n) {
      int v = threadIdx.x < n ? x[threadIdx.x] : 0;
      for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
      if (threadIdx.x % 32 == 0) y[threadIdx.x / 32] = v;
    })",
            {"warps"});
  std::vector<int> x(96);
  std::iota(x.begin(), x.end(), 1);
  host.add("y", BufferRole::output, std::vector<int>(3));
  host.add("x", BufferRole::input, x);
  host.allocate();
  REQUIRE(host.run(launch_of("warps", {1, 1, 1}, {96, 1, 1}, {buffer(0), buffer(1), scalar<int>(96)})).fault == "");
  CHECK(host.read<int>(0) == std::vector<int>{528, 1552, 2576});
}
