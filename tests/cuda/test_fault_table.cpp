// What a GPU or its driver can do to a run, one row each: whose fault it is, and what is said of it. What the judge
// makes of the two (wrong, or environment after a second try) is in tests/verdict.
#include <cmath>
#include <limits>

#include "runner/plausible.h"
#include "tests/cuda/fake_backend.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;
using namespace kgate::test;

namespace {

struct Bench {
  Bench() {
    fake.memory_bytes = 1ull << 30;
    fake.kernels["scale"] = scale_kernel(38);
  }
  ~Bench() {
    backend.reset();
    CHECK(fake.alive().empty());
  }

  void prepare() {
    backend = backend_over(fake);
    load_all(*backend, fake);
    backend->allocate(scale_buffers(4096, 64u << 20));
    write_floats(*backend, 1, std::vector<float>(1024, 3.0f));
  }

  TimeJob job() const {
    TimeJob job;
    job.arms = {{0, {scale_launch(1024, 2)}}, {0, {scale_launch(1024, 2)}}};
    job.blocks = 2;
    return job;
  }

  // "ok", "fault: ..." or an error, of a run and of timing.
  std::string run() {
    return said([&] { return backend->run({0, {scale_launch(1024, 2)}}); });
  }
  std::string time() {
    return said([&] {
      const auto outcome = backend->time(job());
      require_plausible(job(), outcome, 10);
      return outcome.run;
    });
  }

  template <typename Work>
  static std::string said(Work&& work) {
    RunOutcome outcome;
    const auto error = error_of([&] { outcome = work(); });
    return error != "no error" ? error : outcome.ok ? "ok" : "fault: " + outcome.fault;
  }

  FakeDriver fake;
  std::unique_ptr<Backend> backend;
};

}  // namespace

TEST_CASE("what a kernel does wrong is a finding about it; what the machine does wrong is not") {
  struct Row {
    CUresult code;
    const char* begins;
  };
  const Row rows[] = {
      {CUDA_ERROR_ILLEGAL_ADDRESS,
       "fault: CUDA_ERROR_ILLEGAL_ADDRESS (700): the kernel read or wrote outside its buffers"},
      {CUDA_ERROR_MISALIGNED_ADDRESS,
       "fault: CUDA_ERROR_MISALIGNED_ADDRESS (716): the kernel read or wrote at an address"},
      {CUDA_ERROR_LAUNCH_FAILED, "fault: CUDA_ERROR_LAUNCH_FAILED (719): the kernel failed while it ran: a trap"},
      {CUDA_ERROR_ILLEGAL_INSTRUCTION, "fault: CUDA_ERROR_ILLEGAL_INSTRUCTION (715): the kernel ran an instruction"},
      {CUDA_ERROR_HARDWARE_STACK_ERROR, "fault: CUDA_ERROR_HARDWARE_STACK_ERROR (714): the kernel's call stack"},
      {CUDA_ERROR_INVALID_ADDRESS_SPACE, "fault: CUDA_ERROR_INVALID_ADDRESS_SPACE (717)"},
      {CUDA_ERROR_INVALID_PC, "fault: CUDA_ERROR_INVALID_PC (718)"},
      {CUDA_ERROR_ASSERT, "fault: CUDA_ERROR_ASSERT (710): an assert in the kernel failed"},
      {CUDA_ERROR_LAUNCH_TIMEOUT, "fault: CUDA_ERROR_LAUNCH_TIMEOUT (702)"},
      {CUDA_ERROR_OUT_OF_MEMORY, "environment: cuda driver: "},
      {CUDA_ERROR_ECC_UNCORRECTABLE, "environment: cuda driver: "},
      {CUDA_ERROR_NVLINK_UNCORRECTABLE, "environment: cuda driver: "},
      {static_cast<CUresult>(226), "environment: cuda driver: "},  // contained: a hardware error, told apart by the GPU
      {CUDA_ERROR_DEVICE_UNAVAILABLE, "environment: cuda driver: "},
      {CUDA_ERROR_NO_DEVICE, "environment: cuda driver: "},
      {CUDA_ERROR_SYSTEM_NOT_READY, "environment: cuda driver: "},
      {CUDA_ERROR_DEINITIALIZED, "environment: cuda driver: "},
      {CUDA_ERROR_CONTEXT_IS_DESTROYED, "environment: cuda driver: "},
      {CUDA_ERROR_UNKNOWN, "environment: cuda driver: "},  // a GPU that fell off the bus (Xid 79)
      {static_cast<CUresult>(998), "environment: cuda driver: "},
  };
  for (const Row& row : rows) {
    const CUresult code = row.code;
    INFO("code " << code);
    const auto with_code = [&](std::string (Bench::*what)()) {
      Bench bench;  // one at a time: the fake driver is one
      bench.fake.kernels["scale"].fault = code;
      bench.prepare();
      return (bench.*what)();
    };
    const auto run = with_code(&Bench::run), time = with_code(&Bench::time);
    INFO(run);
    INFO(time);
    CHECK(run.starts_with(row.begins));
    CHECK(time.starts_with(row.begins));
    // A machine's fault says which call, which code and what to do.
    if (run.starts_with("environment")) {
      CHECK(run.find(" failed with ") != std::string::npos);
      CHECK(run.find("; ") != std::string::npos);
    }
  }
}

TEST_CASE("a GPU that is lost says so whatever it is asked") {
  for (const char* call : {"cuInit", "cuDeviceGetCount", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
                           "cuModuleLoadDataEx", "cuMemAlloc", "cuMemcpyHtoDAsync"}) {
    INFO(call);
    Bench bench;
    bench.fake.failing = call;
    bench.fake.failure = CUDA_ERROR_UNKNOWN;
    CHECK(error_of([&] {
            bench.prepare();
          }).starts_with(std::string("environment: cuda driver: ") + call + " failed with CUDA_ERROR_UNKNOWN (999)"));
  }
}

TEST_CASE("times that cannot be never leave the child or are refused by the judge") {
  struct Row {
    float ms;
    const char* says;
  };
  const Row rows[] = {
      {std::nanf(""), "environment: cuda driver: cuEventElapsedTime succeeded and says nan ms"},
      {-1.0f, "environment: cuda driver: cuEventElapsedTime succeeded and says -1 ms"},
      {std::numeric_limits<float>::infinity(),
       "environment: cuda driver: cuEventElapsedTime succeeded and says inf ms"},
      {0.0f, "environment: measured times: say that a launch took 0 us"},
      {1e7f, "environment: measured times: come to "},
  };
  for (const auto& [ms, says] : rows) {
    INFO(says);
    Bench bench;
    bench.prepare();
    bench.fake.elapsed_ms = ms;
    CHECK(bench.time().starts_with(says));
  }
}

TEST_CASE("memory that is none and a device of nothing are failures of the machine") {
  {
    Bench bench;
    bench.fake.null_memory = true;
    CHECK(error_of([&] {
            bench.prepare();
          }).starts_with("environment: cuda driver: cuMemAlloc succeeded and gives no memory; look for NVRM and Xid"));
  }
  const auto probed = [](std::uint64_t total_bytes, int multiprocessors) {
    Bench bench;
    bench.fake.total_bytes = total_bytes;
    bench.fake.multiprocessors = multiprocessors;
    return error_of([&] {
      bench.backend = backend_over(bench.fake);
      require_plausible(bench.backend->probe());
    });
  };
  CHECK(probed(0, 4).starts_with("environment: device: \"Fake GPU\" has no memory, says the driver"));
  CHECK(probed(1ull << 40, 0).starts_with("environment: device: \"Fake GPU\" has no multiprocessors, says the driver"));
  CHECK(probed(1000, 4).starts_with(
      "environment: device: \"Fake GPU\" has 1073741824 bytes free of 1000, says the driver"));
}
