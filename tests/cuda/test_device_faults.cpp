// What kernels do wrong, on a real GPU. A fault poisons the context of the whole process, so each one happens in a
// process of its own: the hidden tests are run by the visible one, from this same program.
#include <chrono>

#include "base/process.h"
#include "tests/cuda/gpu.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;
using namespace kgate::test;

namespace {

RunOutcome run_kernel(Gpu& gpu, const std::string& text, Launch launch) {
  gpu.load(0, text, {launch.entry});
  gpu.backend->allocate({{buffer("y", BufferRole::output, 4096)}, 0});
  launch.arguments = {pointer(0)};
  return gpu.backend->run({0, {launch}});
}

Launch one_thread(const std::string& entry) {
  Launch launch;
  launch.entry = entry;
  return launch;
}

void in_own_process(const std::string& test) {
  ProcessOptions options;
  options.command = {"/proc/self/exe", test};
  for (const char* name : {"CUDA_HOME", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name)) options.environment[name] = value;
  }
  CommandLimits limits;
  limits.deadline = std::chrono::seconds(60);
  const CommandResult result = run_command(options, limits);
  INFO(test << ":\n" << result.output);
  CHECK(!result.timed_out);
  CHECK(result.status.ok());
  CHECK(result.output.find("All tests passed") != std::string::npos);
}

}  // namespace

TEST_CASE("child: an illegal address", "[.]") {
  KGATE_NEEDS_GPU(gpu);
  const RunOutcome outcome =
      run_kernel(gpu, "__global__ void wild(float* y) { y[1ull << 44] = 1; }\n", one_thread("wild"));
  CHECK(!outcome.ok);
  CHECK(outcome.fault ==
        "CUDA_ERROR_ILLEGAL_ADDRESS (700): the kernel read or wrote outside its buffers; compute-sanitizer shows the "
        "line");
  const std::string after = error_of([&] { gpu.backend->write({0, 0, 4}, bytes_of("abcd")); });
  CHECK(after.substr(0, 12) == "environment:");
}

TEST_CASE("child: a trap", "[.]") {
  KGATE_NEEDS_GPU(gpu);
  const RunOutcome outcome =
      run_kernel(gpu, "__global__ void stop(float* y) { y[0] = 1; asm volatile(\"trap;\"); }\n", one_thread("stop"));
  CHECK(!outcome.ok);
  CHECK((outcome.fault.find("(715)") != std::string::npos || outcome.fault.find("(719)") != std::string::npos));
}

TEST_CASE("child: a misaligned address", "[.]") {
  KGATE_NEEDS_GPU(gpu);
  const RunOutcome outcome = run_kernel(
      gpu, "__global__ void skew(float* y) { *reinterpret_cast<float*>(reinterpret_cast<char*>(y) + 1) = 1; }\n",
      one_thread("skew"));
  CHECK(!outcome.ok);
  CHECK(outcome.fault.find("CUDA_ERROR_MISALIGNED_ADDRESS (716)") == 0);
}

TEST_CASE("child: an illegal address while it is timed", "[.]") {
  KGATE_NEEDS_GPU(gpu);
  gpu.load(0, "__global__ void wild(float* y) { y[1ull << 44] = 1; }\n", {"wild"});
  gpu.backend->allocate({{buffer("y", BufferRole::output, 4096)}, 64u << 20});
  Launch launch = one_thread("wild");
  launch.arguments = {pointer(0)};
  TimeJob job;
  job.arms = {{0, {launch}}};
  const TimeOutcome outcome = gpu.backend->time(job);
  CHECK(!outcome.run.ok);
  CHECK(outcome.run.fault.find("CUDA_ERROR_ILLEGAL_ADDRESS (700)") == 0);
}

TEST_CASE("kernels that crash are findings with the reason, in run and in time") {
  KGATE_NEEDS_GPU(gpu);
  in_own_process("child: an illegal address");
  in_own_process("child: a trap");
  in_own_process("child: a misaligned address");
  in_own_process("child: an illegal address while it is timed");
}

TEST_CASE("launches over this GPU's limits are findings, and the GPU goes on") {
  KGATE_NEEDS_GPU(gpu);
  const std::string text =
      "__global__ void k(float* y) { y[threadIdx.x] = 1; }\n"
      "__global__ void __launch_bounds__(64) bounded(float* y) { y[threadIdx.x] = 1; }\n";
  gpu.load(0, text, {"k", "bounded"});
  gpu.backend->allocate({{buffer("y", BufferRole::output, 4096)}, 0});
  const auto fault_of = [&](const std::string& entry, auto change) {
    Launch launch = one_thread(entry);
    launch.arguments = {pointer(0)};
    change(launch);
    const RunOutcome outcome = gpu.backend->run({0, {launch}});
    return outcome.ok ? std::string("ok") : outcome.fault;
  };
  CHECK(fault_of("k", [](Launch& l) {
          l.block = {4096, 1, 1};
        }) == "k: the block is 4096 x 1 x 1: at most 1024 threads are possible in x");
  CHECK(fault_of("k", [](Launch& l) {
          l.grid = {1, 1u << 20, 1};
        }) == "k: the grid is 1 x 1048576 x 1: at most 65535 blocks are possible in y");
  CHECK(fault_of("bounded", [](Launch& l) {
          l.block = {128, 1, 1};
        }).find("this kernel can have at most 64") != std::string::npos);
  CHECK(fault_of("k", [](Launch& l) {
          l.shared_bytes = 1u << 20;
        }).find("k: it needs 1048576 bytes of shared memory a block") == 0);
  CHECK(fault_of("k", [](Launch& l) {
          l.grid = {1u << 20, 1, 1};
          l.cooperative = true;
        }).find("k: the cooperative grid is 1048576 x 1 x 1") == 0);
  CHECK(fault_of("k", [](Launch& l) { l.block = {256, 1, 1}; }) == "ok");
}

TEST_CASE("code for another architecture is an environment error") {
  KGATE_NEEDS_GPU(gpu);
  if (gpu.info.architecture == "sm_80") KGATE_SKIP("this GPU runs the code that the test means for another one");
  CompileJob job;
  job.files = {{"k.cu", bytes_of("__global__ void k() {}\n")}};
  job.sources = {"k.cu"};
  job.entries = {"k"};
  job.architecture = "sm_80";
  job.toolkit = gpu.toolkit;
  const Compiled compiled = gpu.backend->compile(job);
  if (gpu.info.architecture.compare(0, 4, "sm_8") == 0) KGATE_SKIP("sm_80 code runs on every sm_8x");
  const std::string message = error_of([&] { gpu.backend->load({0, compiled.code, compiled.symbols}); });
  CHECK(message.find("environment: cuda driver: cuModuleLoadDataEx failed with CUDA_ERROR_NO_BINARY_FOR_GPU (209)") ==
        0);
}
