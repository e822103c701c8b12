// What kernels compute through the CUDA backend, on a real GPU.
#include <numeric>

#include "tests/cuda/gpu.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;
using namespace kgate::test;

namespace {

Launch launch_of(const std::string& entry, std::uint32_t grid, std::uint32_t block, std::vector<Argument> arguments) {
  Launch launch;
  launch.entry = entry;
  launch.grid = {grid, 1, 1};
  launch.block = {block, 1, 1};
  launch.arguments = std::move(arguments);
  return launch;
}

std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

void run_to_its_end(Gpu& gpu, const Launches& launches) {
  const RunOutcome outcome = gpu.backend->run({0, launches});
  INFO(outcome.fault);
  REQUIRE(outcome.ok);
}

}  // namespace

TEST_CASE("the GPU tells what it is") {
  KGATE_NEEDS_GPU(gpu);
  std::printf("%s, %s, %s, driver for CUDA %d, L2 %llu bytes, nvrtc %s\n", gpu.info.name.c_str(), gpu.info.uuid.c_str(),
              gpu.info.architecture.c_str(), gpu.info.driver_api, static_cast<unsigned long long>(gpu.info.l2_bytes),
              gpu.toolkit.nvrtc.c_str());
  CHECK(!gpu.info.name.empty());
  CHECK(gpu.info.uuid.size() == 40);
  CHECK(gpu.info.multiprocessors > 0);
  CHECK(gpu.info.free_bytes > 0);
  CHECK(gpu.info.free_bytes <= gpu.info.memory_bytes);
  CHECK(gpu.info.max_shared_bytes >= 48u << 10);
  // The same device by its UUID.
  BackendOptions options;
  options.device = gpu.info.uuid;
  CHECK(make_cuda_backend(options)->probe().uuid == gpu.info.uuid);
}

TEST_CASE("vectors add up on the GPU") {
  KGATE_NEEDS_GPU(gpu);
  const Loaded loaded = gpu.load(0,
                                 "__global__ void add(float* y, const float* a, const float* b, int n) {\n"
                                 "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a[i] + b[i]; }\n",
                                 {"add"});
  CHECK(loaded.resources.at("add").registers > 0);
  CHECK(loaded.resources.at("add").code_bytes > 0);
  if (gpu.info.driver_api >= 12040) CHECK(loaded.parameter_bytes.at("add") == std::vector<std::uint32_t>{8, 8, 8, 4});
  const int n = 3000001;  // more than two pieces of the staging buffer, and odd
  const std::uint64_t bytes = 4ull * n;
  gpu.backend->allocate({{buffer("y", BufferRole::output, bytes), buffer("a", BufferRole::input, bytes),
                          buffer("b", BufferRole::input, bytes)},
                         0});
  write_floats(*gpu.backend, 1, counting(n));
  write_floats(*gpu.backend, 2, std::vector<float>(n, 0.5f));
  run_to_its_end(gpu, {launch_of("add", (n + 255) / 256, 256, {pointer(0), pointer(1), pointer(2), scalar(n)})});
  const std::vector<float> y = read_floats(*gpu.backend, 0, n);
  bool right = true;
  for (int i = 0; i < n; ++i) right = right && y[static_cast<std::size_t>(i)] == static_cast<float>(i) + 0.5f;
  CHECK(right);
}

TEST_CASE("guard zones and patterns of any length arrive on the GPU") {
  KGATE_NEEDS_GPU(gpu);
  gpu.backend->allocate({{buffer("a", BufferRole::output, 1001)}, 0});
  const std::uint64_t room = 1001 + 2 * kGuardBytes;
  for (const std::string& pattern : {std::string("\xA5"), std::string("abcd"), std::string("0123456789abc")}) {
    gpu.backend->write({0, 0, room}, view_of(pattern));
    Bytes read(room);
    gpu.backend->read({0, 0, room}, read);
    bool equal = true;
    for (std::uint64_t i = 0; i < room; ++i)
      equal = equal && read[i] == static_cast<std::byte>(pattern[i % pattern.size()]);
    CHECK(equal);
  }
}

TEST_CASE("templated and extern \"C\" entries run on the GPU, one after the other") {
  KGATE_NEEDS_GPU(gpu);
  gpu.load(0,
           "template <typename T, int N> __global__ void fill(T* y, T v) { y[blockIdx.x * N + threadIdx.x] = v; }\n"
           "extern \"C\" __global__ void twice(float* y) { y[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }\n",
           {"fill<float, 64>", "twice"});
  gpu.backend->allocate({{buffer("y", BufferRole::output, 4 * 128)}, 0});
  run_to_its_end(
      gpu, {launch_of("fill<float, 64>", 2, 64, {pointer(0), scalar(1.5f)}), launch_of("twice", 2, 64, {pointer(0)})});
  CHECK(read_floats(*gpu.backend, 0, 128) == std::vector<float>(128, 3.0f));
}

TEST_CASE("a kernel gets more than 48 KiB of shared memory") {
  KGATE_NEEDS_GPU(gpu);
  if (gpu.info.max_shared_bytes < 96u << 10) KGATE_SKIP("this GPU has no more than 48 KiB of shared memory a block");
  gpu.load(0,
           "extern __shared__ float tile[];\n"
           "__global__ void reverse(float* y, const float* x, int n) {\n"
           "  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = x[i];\n"
           "  __syncthreads();\n"
           "  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = tile[n - 1 - i]; }\n",
           {"reverse"});
  const int n = (96 << 10) / 4;
  gpu.backend->allocate({{buffer("y", BufferRole::output, 4 * n), buffer("x", BufferRole::input, 4 * n)}, 0});
  std::vector<float> x = counting(n);
  write_floats(*gpu.backend, 1, x);
  Launch launch = launch_of("reverse", 1, 256, {pointer(0), pointer(1), scalar(n)});
  launch.shared_bytes = 96 << 10;
  run_to_its_end(gpu, {launch});
  std::reverse(x.begin(), x.end());
  CHECK(read_floats(*gpu.backend, 0, n) == x);
}

TEST_CASE("blocks of a cluster read each other's shared memory") {
  KGATE_NEEDS_GPU(gpu);
  if (gpu.info.architecture.size() < 5 || gpu.info.architecture < "sm_90") {
    if (gpu.info.architecture.size() < 6) KGATE_SKIP("this GPU has no clusters");
  }
  gpu.load(0,
           "#include <cooperative_groups.h>\n"
           "namespace cg = cooperative_groups;\n"
           "__global__ void neighbour(int* y) {\n"
           "  __shared__ int mine;\n"
           "  cg::cluster_group cluster = cg::this_cluster();\n"
           "  mine = 100 + (int)blockIdx.x;\n"
           "  cluster.sync();\n"
           "  unsigned other = cluster.block_rank() ^ 1;\n"
           "  y[blockIdx.x] = *cluster.map_shared_rank(&mine, other) * 10 + (int)cluster.num_blocks();\n"
           "  cluster.sync(); }\n",
           {"neighbour"});
  gpu.backend->allocate({{buffer("y", BufferRole::output, 4 * 4)}, 0});
  Launch launch = launch_of("neighbour", 4, 1, {pointer(0)});
  launch.cluster = {{2, 1, 1}};
  run_to_its_end(gpu, {launch});
  std::vector<int> y(4);
  gpu.backend->read({0, kGuardBytes, 16}, std::as_writable_bytes(std::span(y)));
  CHECK(y == std::vector<int>{1012, 1002, 1032, 1022});
}

TEST_CASE("a cooperative launch synchronises its whole grid") {
  KGATE_NEEDS_GPU(gpu);
  gpu.load(0,
           "#include <cooperative_groups.h>\n"
           "__global__ void rounds(int* y) {\n"
           "  cooperative_groups::grid_group grid = cooperative_groups::this_grid();\n"
           "  y[blockIdx.x] = 1 + (int)blockIdx.x;\n"
           "  grid.sync();\n"
           "  int next = y[(blockIdx.x + 1) % gridDim.x];\n"
           "  grid.sync();\n"
           "  y[blockIdx.x] = next; }\n",
           {"rounds"});
  const std::uint32_t blocks = gpu.info.multiprocessors;
  gpu.backend->allocate({{buffer("y", BufferRole::output, 4ull * blocks)}, 0});
  Launch launch = launch_of("rounds", blocks, 1, {pointer(0)});
  launch.cooperative = true;
  run_to_its_end(gpu, {launch});
  std::vector<int> y(blocks);
  gpu.backend->read({0, kGuardBytes, 4ull * blocks}, std::as_writable_bytes(std::span(y)));
  for (std::uint32_t i = 0; i < blocks; ++i) CHECK(y[i] == static_cast<int>((i + 1) % blocks) + 1);
  // In a graph, too.
  TimeJob job;
  job.arms = {{0, {launch}}};
  job.blocks = 2;
  job.launches_per_sample = 4;
  const TimeOutcome timed = gpu.backend->time(job);
  INFO(timed.run.fault);
  CHECK(timed.run.ok);
}

TEST_CASE("several launches with a workspace that begins as zero compute the same every time") {
  KGATE_NEEDS_GPU(gpu);
  gpu.load(0,
           "__global__ void count(int* hits, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) "
           "atomicAdd(hits, 1); }\n"
           "__global__ void publish(int* y, const int* hits) { *y = *hits; }\n",
           {"count", "publish"});
  gpu.backend->allocate(
      {{buffer("y", BufferRole::output, 4), buffer("hits", BufferRole::workspace, 4, true)}, 1u << 30});
  const Launches launches{launch_of("count", 40, 256, {pointer(1), scalar(10000)}),
                          launch_of("publish", 1, 1, {pointer(0), pointer(1)})};
  for (int i = 0; i < 3; ++i) {
    run_to_its_end(gpu, launches);
    int y = 0;
    gpu.backend->read({0, kGuardBytes, 4}, std::as_writable_bytes(std::span(&y, 1)));
    CHECK(y == 10000);
  }
  TimeJob job;
  job.arms = {{0, launches}};
  job.blocks = 4;
  const TimeOutcome timed = gpu.backend->time(job);
  INFO(timed.run.fault);
  REQUIRE(timed.run.ok);
  CHECK(timed.regime == "graph");
}

TEST_CASE("CUB works in kernels compiled on this machine") {
  KGATE_NEEDS_GPU(gpu);
  const bool has_cub = std::any_of(gpu.toolkit.include_dirs.begin(), gpu.toolkit.include_dirs.end(),
                                   [](const std::string& folder) { return folder.find("cccl") != std::string::npos; });
  if (!has_cub) KGATE_SKIP("this toolkit has no include/cccl");
  gpu.load(0,
           "#include <cub/block/block_reduce.cuh>\n"
           "__global__ void sum(float* y, const float* x) { using R = cub::BlockReduce<float, 128>; __shared__ "
           "typename R::TempStorage t;\n"
           "  float s = R(t).Sum(x[threadIdx.x]); if (threadIdx.x == 0) y[0] = s; }\n",
           {"sum"});
  gpu.backend->allocate({{buffer("y", BufferRole::output, 4), buffer("x", BufferRole::input, 4 * 128)}, 0});
  write_floats(*gpu.backend, 1, counting(128));
  run_to_its_end(gpu, {launch_of("sum", 1, 128, {pointer(0), pointer(1)})});
  CHECK(read_floats(*gpu.backend, 0, 1) == std::vector<float>{8128.0f});
}

TEST_CASE("more memory than the GPU has is refused with both numbers") {
  KGATE_NEEDS_GPU(gpu);
  const std::uint64_t bytes = gpu.info.memory_bytes;
  const std::string message = error_of([&] { gpu.backend->allocate({{buffer("y", BufferRole::output, bytes)}, 0}); });
  const std::string begin = "environment: device memory: the buffers need " + std::to_string(bytes + 2 * kGuardBytes) +
                            " bytes and the GPU has ";
  CHECK(message.substr(0, begin.size()) == begin);
  // And the backend goes on working.
  CHECK(gpu.backend->allocate({{buffer("y", BufferRole::output, 4)}, 64u << 20}) == (64u << 20));
}
