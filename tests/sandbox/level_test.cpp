#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "base/process.h"
#include "tests/sandbox/sandbox_fixture.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"

using namespace kgate;
using namespace kgate::runner;

namespace {

// The report of a measuring child of this program, after it was asked for its device.
SandboxReport report_of(const std::filesystem::path& program, SandboxLevel most = SandboxLevel::landlock) {
  ClientOptions options = measuring_child(most);
  options.runner = program;
  Client child(options);
  child.probe(kLimit);
  return child.sandbox();
}

// kgate-runner on a kernel whose answer to Landlock is this errno.
class WithoutLandlock {
 public:
  explicit WithoutLandlock(int error) : program_(folder_.path() / std::to_string(error)) {
    std::filesystem::create_symlink(KGATE_WITHOUT_LANDLOCK, program_);
  }
  const std::filesystem::path& program() const { return program_; }

 private:
  TemporaryFolder folder_{"kgate-test"};
  std::filesystem::path program_;
};

}  // namespace

TEST_CASE("a child says which level it reached, when it is asked for its device and when it compiles") {
  Client measuring(measuring_child(SandboxLevel::seccomp));
  CHECK(measuring.sandbox().level == SandboxLevel::none);  // nothing was said yet
  measuring.probe(kLimit);
  CHECK(measuring.sandbox().level == SandboxLevel::seccomp);
  CHECK(measuring.sandbox().landlock_abi == 0);
  CHECK(measuring.sandbox().note == "no more was asked for");
  Client compiling(compiling_child(SandboxLevel::seccomp));
  compiling.compile(job_of("__global__ void k(int*) {}"), kLimit);
  CHECK(compiling.sandbox().level == SandboxLevel::seccomp);
}

TEST_CASE("the best level is landlock wherever the kernel has it, and needs no word") {
  const SandboxReport report = report_of(KGATE_RUNNER);
  if (report.level != SandboxLevel::landlock) KGATE_SKIP(report.note.c_str());
  CHECK(report.landlock_abi >= 1);
  CHECK(report.note.empty());
}

TEST_CASE("a sandbox that nobody wanted is none, and says so") {
  const SandboxReport report = report_of(KGATE_RUNNER, SandboxLevel::none);
  CHECK(report.level == SandboxLevel::none);
  CHECK(report.note == "none was asked for (--sandbox none)");
}

TEST_CASE("where the kernel lacks Landlock the level is seccomp, with the reason") {
  const WithoutLandlock old_kernel(ENOSYS), not_booted(EOPNOTSUPP), container(EPERM);
  const SandboxReport report = report_of(old_kernel.program());
  CHECK(report.level == SandboxLevel::seccomp);
  CHECK(report.landlock_abi == 0);
  CHECK(report.note == "this kernel has no Landlock (Linux 5.13 and newer can have it)");
  CHECK(report_of(not_booted.program()).note ==
        "Landlock is not enabled in this kernel (boot it with landlock in lsm=)");
  CHECK(report_of(container.program()).note == "the container's own filter forbids Landlock");
}

TEST_CASE("a child that reaches less than the judge wants answers nothing") {
  const WithoutLandlock old_kernel(ENOSYS);
  ClientOptions options = measuring_child();
  options.runner = old_kernel.program();
  options.sandbox.least = SandboxLevel::landlock;
  Client child(options);
  const std::string refused =
      "environment: sandbox seccomp: weaker than required: [environment] sandbox = \"landlock\"; this kernel has no "
      "Landlock (Linux 5.13 and newer can have it); use a runner whose kernel has it; kgate doctor --sandbox shows "
      "what holds here";
  CHECK(error_of([&] { child.probe(kLimit); }) == refused);
  CHECK(error_of([&] { child.allocate({}, kLimit); }) == refused);
  CHECK(error_of([&] { child.run({}, 0, kLimit); }) == refused);
  CHECK(error_of([&] { child.try_sandbox({}, {}, kLimit); }) == refused);
}

TEST_CASE("a child that is switched to none under a policy that wants a sandbox answers nothing") {
  ClientOptions options = compiling_child(SandboxLevel::none);
  options.sandbox.least = SandboxLevel::seccomp;
  Client child(options);
  CHECK(error_of([&] { child.compile(job_of("__global__ void k(int*) {}"), kLimit); }) ==
        "environment: sandbox none: weaker than required: [environment] sandbox = \"seccomp\"; none was asked for "
        "(--sandbox none); use "
        "a runner whose kernel has it; kgate doctor --sandbox shows what holds here");
}

TEST_CASE("a child does one thing: who measures does not compile, and the other way round") {
  Client measuring(measuring_child()), compiling(compiling_child());
  CHECK(error_of([&] { measuring.compile(job_of(""), kLimit); }) ==
        "internal: kgate-runner: was started to measure, and asked to compile");
  CHECK(error_of([&] { compiling.allocate({}, kLimit); }) ==
        "internal: kgate-runner: was started to compile, and asked to allocate");
  CHECK(error_of([&] { compiling.probe(kLimit); }) ==
        "internal: kgate-runner: was started to compile, and asked to probe");
}

TEST_CASE("nothing is left of a compiling child's folder, however it ended") {
  const TemporaryFolder scratch("kgate-test");
  const auto left = [&] {
    return std::distance(std::filesystem::directory_iterator(scratch.path()), std::filesystem::directory_iterator());
  };
  ClientOptions options = compiling_child();
  options.scratch = scratch.path();
  {
    Client child(options);
    CHECK(left() == 1);
    CHECK(child.compile(job_of("__global__ void k(int*) {}"), kLimit).status == Compiled::Status::ok);
    Client late(options);
    late.compile(job_of("__global__ void k(int*) {}"), Client::Seconds(0.01));  // killed, most likely, in the middle
  }
  CHECK(left() == 0);
}

TEST_CASE("an ordinary user gets the same sandbox as root") {
  if (::geteuid() != 0) KGATE_SKIP("only root can become somebody else; the other tests ran as an ordinary user");
  if (!std::filesystem::exists("/usr/bin/setpriv")) KGATE_SKIP("setpriv is not installed");
  const TemporaryFolder folder("kgate-test");
  const auto program = folder.path() / "as-nobody";
  std::filesystem::copy_file(KGATE_RUNNER, folder.path() / "kgate-runner");
  std::ofstream(program) << fmt::format(
      "#!/bin/sh\nexec /usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups {} \"$@\"\n",
      (folder.path() / "kgate-runner").string());
  std::filesystem::permissions(program, std::filesystem::perms(0755));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  ClientOptions options = measuring_child();
  options.runner = program;
  Client nobody(options), root(measuring_child());
  const SandboxTrial theirs = nobody.try_sandbox({}, {}, kLimit), ours = root.try_sandbox({}, {}, kLimit);
  CHECK(nobody.sandbox().level == root.sandbox().level);
  CHECK(theirs.trouble.empty());
  REQUIRE(theirs.probes.size() == ours.probes.size());
  for (std::size_t i = 0; i < ours.probes.size(); ++i) {
    INFO(ours.probes[i].what);
    CHECK((theirs.probes[i].error == 0) == (ours.probes[i].error == 0));
  }
}

TEST_CASE("a GPU child that compute-sanitizer looks at is under seccomp alone, and says why") {
  const TemporaryFolder folder("kgate-test");
  const Secret secret;
  ClientOptions options = measuring_child();
  options.observer = Observer{{"/usr/bin/env"}, folder.path()};
  options.backend = "cuda";
  Client child(options);
  child.try_sandbox(secret.folder(), secret.folder(), kLimit);
  CHECK(child.sandbox().level == SandboxLevel::seccomp);
  CHECK(child.sandbox().note == "compute-sanitizer, which works in this process, opens files and a socket of its own");
  const auto ended = child.finish(kLimit);
  REQUIRE(ended);
  CHECK(ended->ok());
}

TEST_CASE("a GPU child that reads counters is under seccomp alone, and keeps CAP_PERFMON alone where it is there") {
  const TemporaryFolder folder("kgate-test");
  const Secret secret;
  const std::uint64_t perfmon = std::uint64_t{1} << 38;
  const auto capabilities = [](const std::string& process, const std::string& set) {
    std::ifstream status("/proc/" + process + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with(set + ":")) return std::stoull(line.substr(set.size() + 1), nullptr, 16);
    }
    FAIL("no " << set << " of process " << process);
    return 0ULL;
  };
  for (const bool counts : {false, true}) {
    ClientOptions options = measuring_child();
    options.observer = Observer{{"/usr/bin/env"}, folder.path(), counts};
    options.backend = "cuda";
    std::string process;
    options.on_process = [&](unsigned pid, bool begins) {
      if (begins) process = std::to_string(pid);
    };
    Client child(options);
    child.try_sandbox(secret.folder(), secret.folder(), kLimit);
    CHECK(child.sandbox().level == SandboxLevel::seccomp);
    CHECK(child.sandbox().note == std::string(counts ? "Nsight Compute" : "compute-sanitizer") +
                                      ", which works in this process, opens files and a socket of its own");
    const std::uint64_t kept = counts ? perfmon & capabilities("self", "CapEff") : 0;
    CHECK(capabilities(process, "CapEff") == kept);
    CHECK(capabilities(process, "CapPrm") == kept);
    CHECK(capabilities(process, "CapInh") == 0);
  }
}

TEST_CASE("native kernels are never let out for an observer") {
  const TemporaryFolder folder("kgate-test");
  const Secret secret;
  ClientOptions options = measuring_child();
  options.observer = Observer{{"/usr/bin/env"}, folder.path()};
  Client child(options);
  child.try_sandbox(secret.folder(), secret.folder(), kLimit);
  CHECK(child.sandbox().level == best_level());
}
