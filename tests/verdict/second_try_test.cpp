// A run in a process that may end, on a machine that may fail: a table of whose doing it is.
#include "gate/verdict/check/second_try.h"

#include <fmt/format.h>

#include "tests/support/errors.h"
#include "tests/verdict/experiment_bench.h"

using namespace kgate;

namespace {

struct Outcome {
  bool ok = false;
  std::string fault, error;
  std::vector<std::string> notes;
};

// Runs a kernel on the fake device of so many bytes, which fails as the fields say; `scratch`: bytes of a workspace.
Outcome run(const std::string& fields, std::uint64_t scratch = 0, const std::string& backend = "cuda") {
  const TemporaryFolder folder("kgate-second-try");
  runner::ClientOptions child;
  child.runner = KGATE_FAKE_RUNNER;
  child.backend = backend;
  child.device = fmt::format("device:4096:1{}:log={}", fields, (folder.path() / "asked").string());
  runner::Compiled compiled;
  compiled.status = runner::Compiled::Status::ok;
  compiled.code = Bytes(1);
  verdict::CheckProcess process(child);
  verdict::Worker worker(process, 0, std::make_shared<runner::Compiled>(compiled));
  cases::Binding binding;
  const auto add = [&](const char* name, runner::BufferRole role, std::uint64_t bytes) {
    runner::Buffer buffer;
    buffer.name = name;
    buffer.role = role;
    buffer.bytes = bytes;
    binding.buffers.push_back(buffer);
  };
  add("y", runner::BufferRole::output, 64);
  if (scratch > 0) add("w", runner::BufferRole::workspace, scratch);
  cases::ParamSpec param;
  param.name = "y";
  const std::vector<verdict::OutputParam> outputs{{0, &param}};
  const verdict::CaseInputs inputs;
  Outcome outcome;
  try {
    const auto ran = verdict::run_with_second_try(worker, {binding, inputs, outputs, 0xff, 20}, child, outcome.notes);
    outcome.ok = ran.report.outcome.ok;
    outcome.fault = ran.report.outcome.fault;
    if (outcome.ok) CHECK(ran.outputs.at(0).size() == 64);
  } catch (const Error& error) {
    outcome.error = std::string(name_of(error.kind())) + ": " + error.what();
  }
  return outcome;
}

const std::string kEcc =
    "cuEventSynchronize failed with CUDA_ERROR_ECC_UNCORRECTABLE (214): the GPU's memory has an error";

}  // namespace

TEST_CASE("what goes well is run once, and what the kernel's own fault is too") {
  const auto well = run("");
  CHECK(well.ok);
  CHECK(well.notes.empty());
  const auto fault = run(":faults=1");
  CHECK_FALSE(fault.ok);
  CHECK(fault.fault == "a fault");
  CHECK(fault.notes.empty());
}

TEST_CASE("a process that ended once, or a machine that failed once, is tried again and told, and is nobody's fault") {
  struct Row {
    const char *fields, *note;
  };
  const Row rows[] = {
      {":dies=1", "tried twice: at first the kernel crashed (SIGSEGV)"},
      {":killed=1", "tried twice: at first the kernel crashed (SIGKILL)"},
      {":fails=1",
       "tried twice: at first cuda driver: cuEventSynchronize failed with CUDA_ERROR_ECC_UNCORRECTABLE (214): the "
       "GPU's memory has an error"},
  };
  for (const auto& [fields, note] : rows) {
    INFO(fields);
    const auto outcome = run(fields);
    CHECK(outcome.ok);
    CHECK(outcome.notes == std::vector<std::string>{note});
  }
  // A fault of the kernel's that shows the second time is one.
  CHECK(run(":killed=1:faults=2").fault == "a fault");
}

TEST_CASE("what happens twice is the kernel's doing where the machine does well without it, and else the machine's") {
  const std::string suffix = ", in two processes; without the kernel neither ends";
  CHECK(run(":dies=1+2").fault == "the kernel crashed (SIGSEGV)" + suffix);
  CHECK(run(":killed=1+2").fault == "the kernel crashed (SIGKILL)" + suffix);
  CHECK(
      run(":killed=1+2:gone=1").error ==
      "environment: kgate-runner: tried twice: the kernel crashed (SIGKILL); look for the out-of-memory killer in the "
      "system's log");
  CHECK(run(":killed=1:fails=2").error ==
        "environment: cuda driver: tried twice: " + kEcc + " (at first: the kernel crashed (SIGKILL))");
}

TEST_CASE(
    "a GPU's failure is never the kernel's; what the host's child says beside a kernel may be the kernel's own words") {
  CHECK(run(":fails=1+2").error == "environment: cuda driver: tried twice: " + kEcc);
  CHECK(run(":fails=1+2", 64).error == "environment: cuda driver: tried twice: " + kEcc);
  CHECK(run(":fails=1+2", 0, "host").fault == "cuda driver: " + kEcc);
}

TEST_CASE("scratch memory that nothing has room for is the kernel's doing; buffers that have none are the machine's") {
  CHECK(run("", 1 << 20).fault == "device memory: is too small");
  CHECK(run(":gone=1", 1 << 20).error == "environment: device memory: tried twice: is too small");
}
