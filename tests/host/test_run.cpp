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

TEST_CASE("Dynamic shared memory works in functions, at namespace scope and through a cast") {
  Host host;
  host.load(R"(
    namespace a { extern __shared__ __align__(16) unsigned char everywhere[]; }
    __device__ int sum_all(int n) {
      int s = 0;
      for (int i = 0; i < n; ++i) s += reinterpret_cast<int*>(a::everywhere)[i];
      return s;
    }
    extern "C" __global__ void scan(int* y, const int* x, int n) {
      extern __shared__ int part[];   // of blockDim.x
      const int i = threadIdx.x, at = blockIdx.x * n + i;
      part[i] = x[at];
      __syncthreads();
      const int all = sum_all(n);
      __syncthreads();
      for (int d = 1; d < n; d *= 2) {
        const int v = i >= d ? part[i - d] : 0;
        __syncthreads();
        part[i] += v;
        __syncthreads();
      }
      y[at] = part[i] + (part[n - 1] == all ? 0 : 1000000);
    })",
            {"scan"});
  const std::size_t n = 128, rows = 50;
  std::vector<int> x(n * rows), expected(n * rows);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<int>(i * 7 % 11) - 5;
    expected[i] = x[i] + (i % n == 0 ? 0 : expected[i - 1]);
  }
  host.add("y", BufferRole::output, std::vector<int>(x.size()));
  host.add("x", BufferRole::input, x);
  host.allocate();
  REQUIRE(host.run(launch_of("scan", {rows, 1, 1}, {n, 1, 1}, {buffer(0), buffer(1), scalar<int>(n)}, n * 4)).fault ==
          "");
  CHECK(host.read<int>(0) == expected);
}

TEST_CASE("A histogram by atomics counts every element, whichever worker saw it") {
  Host host(4);
  host.load(R"(
    extern "C" __global__ void histogram(unsigned* bins, const unsigned char* x, int n) {
      __shared__ unsigned local[256];
      for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
      __syncthreads();
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i]], 1);
      __syncthreads();
      for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
    })",
            {"histogram"});
  std::vector<std::uint8_t> x(100003);
  std::vector<std::uint32_t> expected(256);
  for (std::size_t i = 0; i < x.size(); ++i) ++expected[x[i] = static_cast<std::uint8_t>(i * i >> 3)];
  host.add("bins", BufferRole::output, std::vector<std::uint32_t>(256, 0));
  host.add("x", BufferRole::input, x);
  host.allocate();
  REQUIRE(host.run(launch_of("histogram", {37, 1, 1}, {96, 1, 1}, {buffer(0), buffer(1), scalar<int>(100003)})).fault ==
          "");
  CHECK(host.read<std::uint32_t>(0) == expected);
}

TEST_CASE("Grids and blocks of three dimensions visit every index once") {
  Host host(3);
  host.load(R"(
    struct Size { int x, y, z; };
    __global__ void where(int* y, Size size) {
      const dim3 at(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y, blockIdx.z * blockDim.z + threadIdx.z);
      atomicAdd(&y[(at.z * size.y + at.y) * size.x + at.x], 1 + gridDim.x * 100 + gridDim.y * 1000 + gridDim.z * 10000);
    })",
            {"where"});
  struct Size {
    int x, y, z;
  };
  host.add("y", BufferRole::output, std::vector<int>(24 * 10 * 6));
  host.allocate();
  REQUIRE(host.run(launch_of("where", {3, 5, 2}, {8, 2, 3}, {buffer(0), scalar(Size{24, 10, 6})})).fault == "");
  CHECK(host.read<int>(0) == std::vector<int>(24 * 10 * 6, 25301));
}

TEST_CASE("Two arms of the same names live side by side") {
  Host host;
  const std::string source = R"(
    __device__ int calls = START;
    template <int N> __device__ int* scratch() { __shared__ int values[N]; return values; }
    template <int N> __global__ void k(int* y) {
      scratch<N>()[threadIdx.x] = ADD;
      __syncthreads();
      y[threadIdx.x] = scratch<N>()[threadIdx.x ^ 1] + calls;
      __syncthreads();
      if (threadIdx.x == 0) ++calls;
    }
  )";
  CompileJob first = compile_job(source, {"k<4>"}), second = first;
  first.defines = {{"ADD", "1"}, {"START", "100"}};
  second.defines = {{"ADD", "2"}, {"START", "200"}};
  host.load(first, 0);
  host.load(second, 7);
  host.add("y", BufferRole::output, std::vector<int>(2));
  host.allocate();
  const Launch launch = launch_of("k<4>", {1, 1, 1}, {2, 1, 1}, {buffer(0)});
  REQUIRE(host.run(launch, 0).ok);
  CHECK(host.read<int>(0) == std::vector<int>{101, 101});
  REQUIRE(host.run(launch, 7).ok);
  CHECK(host.read<int>(0) == std::vector<int>{202, 202});
  REQUIRE(host.run(launch, 0).ok);
  CHECK(host.read<int>(0) == std::vector<int>{102, 102});
  host.load(second, 0);  // replaces the first
  REQUIRE(host.run(launch, 0).ok);
  CHECK(host.read<int>(0) == std::vector<int>{202, 202});
}

TEST_CASE("Every shuffle gives what the PTX manual says, for every width") {
  Host host(1);
  host.load(R"(
    __global__ void shuffles(int* y, int width, int by) {
      const int lane = threadIdx.x;
      y[lane] = __shfl_sync(~0u, lane * 10, by, width);
      y[32 + lane] = __shfl_up_sync(~0u, lane * 10, by, width);
      y[64 + lane] = __shfl_down_sync(~0u, lane * 10, by, width);
      y[96 + lane] = __shfl_xor_sync(~0u, lane * 10, by, width);
      y[128 + lane] = (int)__shfl_xor_sync(~0u, (double)lane / 4, 1);
      y[160 + lane] = (int)(__shfl_sync(~0u, 1ull << lane, 31) >> 20);
    })",
            {"shuffles"});
  host.add("y", BufferRole::output, std::vector<int>(192));
  host.allocate();
  for (int width = 1; width <= 32; width *= 2) {
    for (const int by : {0, 1, 3, 8, 16, 31}) {
      std::vector<int> expected;
      for (int lane = 0; lane < 32; ++lane) expected.push_back((lane / width * width + by % width) * 10);
      for (int lane = 0; lane < 32; ++lane) expected.push_back((lane % width < by ? lane : lane - by) * 10);
      for (int lane = 0; lane < 32; ++lane) expected.push_back((lane % width + by >= width ? lane : lane + by) * 10);
      for (int lane = 0; lane < 32; ++lane)
        expected.push_back(((lane ^ by) > (lane | (width - 1)) ? lane : lane ^ by) * 10);
      for (int lane = 0; lane < 32; ++lane) expected.push_back((lane ^ 1) / 4);
      for (int lane = 0; lane < 32; ++lane) expected.push_back(2048);
      REQUIRE(host.run(launch_of("shuffles", {1, 1, 1}, {32, 1, 1}, {buffer(0), scalar(width), scalar(by)})).fault ==
              "");
      REQUIRE(host.read<int>(0) == expected);
    }
  }
}

TEST_CASE("Every atomic on a 32-bit type gives the old value and leaves the new one") {
  Host host(1);
  host.load(R"(
    __global__ void atomics(int* old_values, int* values, unsigned* u, float* f) {
      int i = 0;
      old_values[i] = atomicAdd(&values[i], 5); ++i;
      old_values[i] = atomicSub(&values[i], 5); ++i;
      old_values[i] = atomicExch(&values[i], 5); ++i;
      old_values[i] = atomicMin(&values[i], 5); ++i;
      old_values[i] = atomicMax(&values[i], 5); ++i;
      old_values[i] = atomicAnd(&values[i], 6); ++i;
      old_values[i] = atomicOr(&values[i], 5); ++i;
      old_values[i] = atomicXor(&values[i], 5); ++i;
      old_values[i] = atomicCAS(&values[i], 10, 77); ++i;
      old_values[i] = atomicCAS(&values[i], 11, 77); ++i;
      u[4] = atomicInc(&u[0], 3u); u[5] = atomicInc(&u[1], 3u); u[6] = atomicDec(&u[2], 9u); u[7] = atomicDec(&u[3], 9u);
      f[2] = atomicAdd(&f[0], 0.5f); f[3] = atomicExch(&f[1], 0.5f);
    })",
            {"atomics"});
  host.add("old", BufferRole::output, std::vector<int>(10));
  host.add("values", BufferRole::inout, std::vector<int>(10, 10));
  host.add("u", BufferRole::inout, std::vector<std::uint32_t>{2, 3, 0, 5, 0, 0, 0, 0});
  host.add("f", BufferRole::inout, std::vector<float>{1, 2, 0, 0});
  host.allocate();
  REQUIRE(host.run(launch_of("atomics", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1), buffer(2), buffer(3)})).fault ==
          "");
  CHECK(host.read<int>(0) == std::vector<int>(10, 10));
  CHECK(host.read<int>(1) == std::vector<int>{15, 5, 5, 5, 10, 2, 15, 15, 77, 10});
  CHECK(host.read<std::uint32_t>(2) == std::vector<std::uint32_t>{3, 0, 9, 4, 2, 3, 0, 5});
  CHECK(host.read<float>(3) == std::vector<float>{1.5f, 0.5f, 1.0f, 2.0f});
}

TEST_CASE("Threads that ended are not waited for at a barrier") {
  Host host;
  host.load(R"(
    __global__ void early(int* y, int n) {
      __shared__ int sum;
      if (threadIdx.x >= n) return;
      if (threadIdx.x == 0) sum = 0;
      __syncthreads();
      atomicAdd(&sum, 1);
      __syncthreads();
      y[threadIdx.x] = sum;
    })",
            {"early"});
  host.add("y", BufferRole::output, std::vector<int>(40));
  host.allocate();
  REQUIRE(host.run(launch_of("early", {1, 1, 1}, {256, 1, 1}, {buffer(0), scalar<int>(40)})).fault == "");
  CHECK(host.read<int>(0) == std::vector<int>(40, 40));
}

TEST_CASE("A thread that polls lets the others of its block go on, and a block may wait for an earlier one") {
  Host host(2);
  host.load(R"(
    __global__ void polls(int* y, int* lock, unsigned* turn) {
      __shared__ int flag;
      if (threadIdx.x == 0) flag = 0;
      __syncthreads();
      if (threadIdx.x == 0) while (atomicAdd(&flag, 0) != 31) {}
      else atomicAdd(&flag, 1);
      __syncthreads();
      while (atomicCAS(lock, 0, 1) != 0) {}
      y[0] += 1;
      __threadfence();
      atomicExch(lock, 0);
      if (threadIdx.x == 0) {
        while (atomicAdd(turn, 0u) != blockIdx.x) __nanosleep(100);
        y[1] = y[1] * 2 + 1;
        __threadfence();
        atomicAdd(turn, 1u);
      }
    })",
            {"polls"});
  host.add("y", BufferRole::inout, std::vector<int>{0, 0});
  host.add("lock", BufferRole::inout, std::vector<int>{0});
  host.add("turn", BufferRole::inout, std::vector<int>{0});
  host.allocate();
  REQUIRE(host.run(launch_of("polls", {20, 1, 1}, {32, 1, 1}, {buffer(0), buffer(1), buffer(2)})).fault == "");
  CHECK(host.read<int>(0) == std::vector<int>{640, (1 << 20) - 1});
}

TEST_CASE("A thread has the 512 KiB of local memory that a GPU thread may have") {
  Host host(1);
  host.load(R"(
    __global__ void local(int* y, int n) {
      volatile int mine[128000];
      for (int i = 0; i < n; ++i) mine[i] = i + threadIdx.x;
      __syncthreads();
      y[threadIdx.x] = mine[n - 1];
    })",
            {"local"});
  host.add("y", BufferRole::output, std::vector<int>(3));
  host.allocate();
  REQUIRE(host.run(launch_of("local", {1, 1, 1}, {3, 1, 1}, {buffer(0), scalar<int>(128000)})).fault == "");
  CHECK(host.read<int>(0) == std::vector<int>{127999, 128000, 128001});
}

TEST_CASE("A barrier that some threads of a warp never reach is a deadlock, and says so") {
  Host host(1);
  host.load(R"(
    extern "C" __global__ void divergent(int* y) {
      if (threadIdx.x % 2) __syncthreads(); else __syncwarp();
      y[threadIdx.x] = 1;
    }
    extern "C" __global__ void fine(int* y) { __syncthreads(); y[threadIdx.x] = 2; __syncwarp(); })",
            {"divergent", "fine"});
  host.add("y", BufferRole::output, std::vector<int>(64));
  host.allocate();
  const RunOutcome outcome = host.run(launch_of("divergent", {4, 1, 1}, {64, 1, 1}, {buffer(0)}));
  CHECK_FALSE(outcome.ok);
  CHECK_FALSE(outcome.unsupported);
  CHECK(outcome.fault ==
        "deadlock in block (0, 0, 0): of its 64 threads, 32 wait at __syncthreads and 32 at a warp operation that the "
        "other lanes of "
        "their warp never reach");
  // The next launch starts afresh.
  REQUIRE(host.run(launch_of("fine", {4, 1, 1}, {64, 1, 1}, {buffer(0)})).fault == "");
  CHECK(host.read<int>(0) == std::vector<int>(64, 2));
}

TEST_CASE("Lanes of one warp that meet at different warp operations are a fault") {
  Host host(1);
  host.load(R"(
    __global__ void mixed(int* y) {
      if (threadIdx.x == 3) y[0] = __shfl_sync(0xffffffffu, 1, 0); else __syncwarp();
    })",
            {"mixed"});
  host.add("y", BufferRole::output, std::vector<int>(1));
  host.allocate();
  CHECK(
      host.run(launch_of("mixed", {1, 1, 1}, {32, 1, 1}, {buffer(0)})).fault ==
      "block (0, 0, 0), thread (3, 0, 0): lanes of one warp meet at different operations, __syncwarp and __shfl_sync");
}

TEST_CASE("A shuffle with a partial mask is beyond the backend, unless the mask names every lane that is there") {
  Host host(1);
  host.load(R"(
    __global__ void halves(int* y) {
      if (threadIdx.x < 16) y[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, (int)threadIdx.x, 1);
      __syncthreads();
    })",
            {"halves"});
  host.add("y", BufferRole::output, std::vector<int>(16));
  host.allocate();
  const RunOutcome outcome = host.run(launch_of("halves", {1, 1, 1}, {32, 1, 1}, {buffer(0)}));
  CHECK_FALSE(outcome.ok);
  CHECK(outcome.unsupported);
  CHECK(outcome.fault == "warp operations with a partial mask (0x0000ffff) are beyond the host backend");
  REQUIRE(host.run(launch_of("halves", {1, 1, 1}, {16, 1, 1}, {buffer(0)})).fault == "");
  CHECK(host.read<int>(0) == std::vector<int>{1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14});
}

TEST_CASE("A failed assertion and a trap are faults with their place") {
  Host host(1);
  host.load(R"(
    #include <cassert>
    __global__ void checks(int* y, int n) {
      assert(y[0] < n);
      if (threadIdx.y == 1 && n == 2) __trap();
      __syncthreads();
    })",
            {"checks"});
  host.add("y", BufferRole::inout, std::vector<int>{1});
  host.allocate();
  CHECK(host.run(launch_of("checks", {1, 1, 1}, {2, 2, 1}, {buffer(0), scalar<int>(3)})).fault == "");
  CHECK(host.run(launch_of("checks", {1, 1, 1}, {2, 2, 1}, {buffer(0), scalar<int>(1)})).fault ==
        "block (0, 0, 0), thread (0, 0, 0): assertion failed: y[0] < n");
  CHECK(host.run(launch_of("checks", {1, 1, 1}, {2, 2, 1}, {buffer(0), scalar<int>(2)})).fault ==
        "block (0, 0, 0), thread (0, 1, 0): trap");
}

TEST_CASE("A launch that a GPU would refuse is a fault that says what the limit is") {
  Host host(1);
  host.load(
      R"(extern "C" __global__ void k(int* y, short n) { __shared__ int big[1024]; big[threadIdx.x] = n; y[0] = big[0]; })",
      {"k"});
  host.load(
      R"(extern "C" __global__ void k(int* y, short n) { __shared__ int big[12320]; big[threadIdx.x] = n; __syncthreads(); y[0] = big[n]; })",
      {"k"}, 1);
  host.add("y", BufferRole::output, std::vector<int>(1));
  host.allocate();
  const std::vector<Argument> good{buffer(0), scalar<short>(1)};
  const auto fault = [&](const Launch& launch, std::uint32_t arm = 0) {
    const RunOutcome outcome = host.run(launch, arm);
    return (outcome.ok ? "ok" : outcome.unsupported ? "unsupported: " : "fault: ") + outcome.fault;
  };
  CHECK(fault(launch_of("k", {1, 1, 1}, {1, 1, 1}, good)) == "ok");
  CHECK(fault(launch_of("k", {1, 1, 1}, {2048, 1, 1}, good)) == "fault: launch: block of 2048 threads; at most 1024");
  CHECK(fault(launch_of("k", {1, 1, 1}, {1, 1, 65}, good)) == "fault: launch: block.z is 65; at most 64");
  CHECK(fault(launch_of("k", {1, 1, 1}, {0, 1, 1}, good)) == "fault: launch: block.x is 0; at least 1");
  CHECK(fault(launch_of("k", {1, 65536, 1}, {1, 1, 1}, good)) == "fault: launch: grid.y is 65536; at most 65535");
  CHECK(fault(launch_of("k", {0x80000000u, 1, 1}, {1, 1, 1}, good)) ==
        "fault: launch: grid.x is 2147483648; at most 2147483647");
  CHECK(fault(launch_of("k", {1, 1, 1}, {1, 1, 1}, good, 232449)) ==
        "fault: launch: 232449 bytes of dynamic shared memory; at most 232448");
  CHECK(fault(launch_of("k", {1, 1, 1}, {1, 1, 1}, good), 1) ==
        "fault: launch: 49280 bytes of static shared memory; at most 49152");
  CHECK(fault(launch_of("k", {1, 1, 1}, {1, 1, 1}, {buffer(0)})) ==
        "fault: launch: \"k\" takes 2 parameters; 1 are given");
  CHECK(fault(launch_of("k", {1, 1, 1}, {1, 1, 1}, {buffer(0), scalar<int>(1)})) ==
        "fault: launch: parameter 2 of \"k\" has 2 bytes; 4 are given");
  Launch cooperative = launch_of("k", {1, 1, 1}, {1, 1, 1}, good);
  cooperative.cooperative = true;
  CHECK(fault(cooperative) == "unsupported: launch: cooperative launches are beyond the host backend");
  Launch clustered = launch_of("k", {1, 1, 1}, {1, 1, 1}, good);
  clustered.cluster = {2, 1, 1};
  CHECK(fault(clustered) == "unsupported: launch: thread block clusters are beyond the host backend");
}

TEST_CASE("Several launches of a sequence run in order") {
  Host host;
  host.load(R"(
    extern "C" __global__ void twice(int* y) { y[threadIdx.x] *= 2; }
    extern "C" __global__ void more(int* y) { y[threadIdx.x] += 1; })",
            {"twice", "more"});
  host.add("y", BufferRole::inout, std::vector<int>{1, 2, 3});
  host.allocate();
  const Launch twice = launch_of("twice", {1, 1, 1}, {3, 1, 1}, {buffer(0)}),
               more = launch_of("more", {1, 1, 1}, {3, 1, 1}, {buffer(0)});
  REQUIRE(host.backend->run({0, {twice, more, twice}}).ok);
  CHECK(host.read<int>(0) == std::vector<int>{6, 10, 14});
}

TEST_CASE("A buffer's room is its payload with guards before and after, all of it readable and writable") {
  Host host(1);
  host.load("__global__ void outside(int* y, long long at) { y[at] = 7; }", {"outside"});
  host.add("y", BufferRole::output, std::vector<int>(5));
  host.add("z", BufferRole::output, std::vector<int>());
  host.allocate();
  const std::uint64_t room = 20 + 2 * kGuardBytes;
  host.backend->write({0, 0, room}, bytes_from(std::vector<std::uint8_t>{1, 2, 3}));
  REQUIRE(host.run(launch_of("outside", {1, 1, 1}, {1, 1, 1}, {buffer(0), scalar<long long>(-1)})).ok);
  REQUIRE(host.run(launch_of("outside", {1, 1, 1}, {1, 1, 1}, {buffer(0), scalar<long long>(5)})).ok);
  std::vector<std::uint8_t> all(room);
  host.backend->read({0, 0, room}, std::as_writable_bytes(std::span(all)));
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < room; ++i) {
    if (all[i] != i % 3 + 1) changed.push_back(i);
  }
  CHECK(changed == std::vector<std::size_t>{4092, 4093, 4094, 4095, 4116, 4117, 4118, 4119});
  std::vector<std::byte> guards(2 * kGuardBytes);
  host.backend->read({1, 0, guards.size()}, guards);  // an empty buffer has guards, too
  CHECK(error_of([&] {
          host.backend->read({0, 1, room}, std::as_writable_bytes(std::span(all)));
        }) == "internal: host backend: bytes 1 to 8213 are outside of buffer 0's room of 8212");
  CHECK(error_of([&] { host.backend->write({2, 0, 1}, guards); }) == "internal: host backend: there is no buffer 2");
}

TEST_CASE("Payloads are aligned for every vector type, and buffers that do not fit are the machine's fault") {
  Host host(1);
  host.load(
      "__global__ void where(unsigned long long* y, const void* x) { y[0] = (unsigned long long)x; y[1] = (unsigned "
      "long long)y; }",
      {"where"});
  host.add("y", BufferRole::output, std::vector<std::uint64_t>(2));
  host.add("x", BufferRole::input, std::vector<std::uint8_t>(3));
  host.allocate();
  REQUIRE(host.run(launch_of("where", {1, 1, 1}, {1, 1, 1}, {buffer(0), buffer(1)})).ok);
  for (const std::uint64_t address : host.read<std::uint64_t>(0)) CHECK(address % 256 == 0);
  const std::string error = error_of([&] {
    host.backend->allocate({{{"x", BufferRole::input, DType::f32, std::uint64_t{1} << 60, false}}, 0});
  });
  CHECK(error.rfind("environment: host backend: the buffers need more memory than is free (", 0) == 0);
}

TEST_CASE("An object that is no kernel, and a symbol that it lacks, are refused") {
  Host host(1);
  CHECK(error_of([&] {
          host.backend->load({0, bytes_of("not an object"), {}});
        }).rfind("environment: host backend: cannot load the compiled kernel: ", 0) == 0);
  const Compiled compiled = host.backend->compile(compile_job("__global__ void k() {}", {"k"}));
  REQUIRE(compiled.log == "");
  CHECK(error_of([&] {
          host.backend->load({0, compiled.code, {{"other", "kgate_entry_5"}}});
        }) == "usage: entry \"other\": the object has no symbol kgate_entry_5");
  CHECK(error_of([&] {
          (void)host.run(launch_of("k", {1, 1, 1}, {1, 1, 1}, {}));
        }) == "usage: host backend: arm 0 is not loaded");
}

TEST_CASE("The device that the backend describes is this machine") {
  const auto backend = make_host_backend({"", 3});
  const DeviceInfo info = backend->probe();
  CHECK(info.backend == "host");
  CHECK(info.name != "");
  CHECK(info.uuid == "");
  CHECK(info.architecture != "");
  CHECK(info.multiprocessors == 3);
  CHECK(info.memory_bytes > 0);
  CHECK(info.free_bytes > 0);
  CHECK(info.l2_bytes > 0);
  CHECK(info.max_shared_bytes == 232448);
}
