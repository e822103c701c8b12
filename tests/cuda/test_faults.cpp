// Every call of the driver fails in turn, with codes of each kind: the backend must answer with a readable error or a
// finding, and leave nothing alive.
#include "tests/cuda/fake_backend.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;
using namespace kgate::test;

namespace {

void prepare(FakeDriver& fake) {
  fake.memory_bytes = 4ull << 30;
  fake.kernels["scale"] = scale_kernel(38);  // few launches make a sample, so few calls have to fail
  FakeKernel add;                            // add(z): z[0] += 1
  add.parameters = {8};
  add.action = [](void** p) { *reinterpret_cast<float*>(parameter<std::uint64_t>(p, 0)) += 1; };
  fake.kernels["add"] = add;
}

// Everything that a session does, once. Returns how it ended: "done", a fault, or the error's text.
struct Setting {
  CUresult failure = CUDA_ERROR_UNKNOWN;
  std::uint64_t pool_bytes = 64u << 20;
  CacheState cache = CacheState::warm;
  Regime regime = Regime::batch;
  double stretch_ms = 0;
  bool pilot = false;  // let timing find the number of launches: ten times as many calls
  long step = 1;       // every so many calls fail
};

std::string session(FakeDriver& fake, const Setting& setting) {
  try {
    const auto backend = backend_over(fake);
    backend->probe();
    load_all(*backend, fake, 0);
    load_all(*backend, fake, 1);
    Allocation allocation = scale_buffers(4096, setting.pool_bytes);
    allocation.buffers.push_back(buffer("z", BufferRole::inout, 64));
    allocation.buffers.push_back(buffer("w", BufferRole::workspace, 256, true));
    backend->allocate(allocation);
    write_floats(*backend, 1, std::vector<float>(1024, 3.0f));
    write_floats(*backend, 2, std::vector<float>(16, 1.0f));
    if (setting.regime == Regime::fresh) write_floats(*backend, 1, std::vector<float>(1024, 4.0f), 1);
    Launch add;
    add.entry = "add";
    add.arguments = {pointer(2)};
    Launch scale = scale_launch(1024, 2);
    scale.shared_bytes = 50 << 10;
    scale.cooperative = true;
    const Launches launches{scale, add};
    const RunOutcome run = backend->run({0, launches});
    if (!run.ok) return "fault: " + run.fault;
    TimeJob job;
    job.arms = {{0, launches}, {1, launches, {add}}};
    job.regime = setting.regime;
    job.stretch_ms = setting.stretch_ms;
    job.sample_us = 100;
    job.blocks = 1;
    job.cache = setting.cache;
    if (!setting.pilot) {
      job.launches_per_sample = 2;
      job.first_block = 1;
    }
    const TimeOutcome timed = backend->time(job);
    if (!timed.run.ok) return "fault: " + timed.run.fault;
    read_floats(*backend, 0, 1024);
    return "done";
  } catch (const Error& error) {
    return std::string(name_of(error.kind())) + ": " + error.what();
  }
}

void fail_everywhere(const Setting& setting) {
  long calls = 0;
  for (long n = 0;; n += setting.step) {
    FakeDriver fake;
    prepare(fake);
    fake.fail_at = n;
    fake.failure = setting.failure;
    const std::string ended = session(fake, setting);
    INFO("call " << n << ", " << fake.failed_call << ": " << ended);
    CHECK(fake.alive().empty());
    if (fake.failed_call.empty()) {
      REQUIRE(ended == "done");
      break;
    }
    calls = n + 1;
    const bool readable =
        ended.rfind("environment: ", 0) == 0 || ended.rfind("fault: ", 0) == 0 || ended.rfind("usage: ", 0) == 0;
    // A pool that does not fit is made smaller, and the last call is made while all is taken down.
    const bool smaller = setting.failure == CUDA_ERROR_OUT_OF_MEMORY && fake.failed_call == "cuMemAlloc";
    const bool going = fake.failed_call == "cuCtxSetCurrent" && fake.calls == n + 1;
    CHECK((readable || (ended == "done" && (smaller || going))));
    CHECK((ended == "done" || ended.size() > 30));
  }
  CHECK(calls > 100);
}

}  // namespace

TEST_CASE("an unknown failure of any driver call is a readable error and leaves nothing alive") {
  fail_everywhere({});
  fail_everywhere({.pool_bytes = 0});
  fail_everywhere({.cache = CacheState::cold});
  fail_everywhere({.regime = Regime::fresh});
  fail_everywhere({.pool_bytes = 0, .regime = Regime::fresh});
  fail_everywhere({.stretch_ms = 0.2, .step = 5});
  fail_everywhere({.pilot = true, .step = 23});
}

TEST_CASE("an illegal address reported by any driver call is a readable error or a finding and leaves nothing alive") {
  fail_everywhere({.failure = CUDA_ERROR_ILLEGAL_ADDRESS});
}

TEST_CASE("running out of memory in any driver call is a readable error, or a smaller pool, and leaves nothing alive") {
  fail_everywhere({.failure = CUDA_ERROR_OUT_OF_MEMORY});
  fail_everywhere({.failure = CUDA_ERROR_OUT_OF_MEMORY, .pool_bytes = 0, .cache = CacheState::cold});
  fail_everywhere({.failure = CUDA_ERROR_OUT_OF_MEMORY, .pool_bytes = 0, .regime = Regime::fresh});
}

TEST_CASE("an invalid value or a missing symbol reported by any driver call leaves nothing alive") {
  fail_everywhere({.failure = CUDA_ERROR_INVALID_VALUE});
  fail_everywhere({.failure = CUDA_ERROR_NOT_FOUND});
}

TEST_CASE("a kernel that writes out of bounds is a finding of run and of time, and poisons what comes after") {
  FakeDriver fake;
  prepare(fake);
  fake.kernels["scale"].fault = CUDA_ERROR_ILLEGAL_ADDRESS;
  const auto backend = backend_over(fake);
  load_all(*backend, fake);
  backend->allocate(scale_buffers(4096, 0));
  TimeJob job;
  job.arms = {{0, {scale_launch(1024, 2)}}};
  const std::string words =
      "CUDA_ERROR_ILLEGAL_ADDRESS (700): the kernel read or wrote outside its buffers; compute-sanitizer shows the "
      "line";
  const TimeOutcome timed = backend->time(job);
  CHECK(!timed.run.ok);
  CHECK(timed.run.fault == words);
  CHECK(backend->run({0, {scale_launch(1024, 2)}}).fault == words);
  const std::string after = error_of([&] { write_floats(*backend, 1, {1}); });
  CHECK(after.substr(0, 12) == "environment:");
}
