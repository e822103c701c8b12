#include <algorithm>

#include "tests/sandbox/sandbox_fixture.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"

using namespace kgate;
using namespace kgate::runner;

namespace {

using Names = std::vector<std::string>;

// What such a child can do, of all that it tries.
Names allowed(const ClientOptions& options, const std::filesystem::path& home = {}) {
  Client child(options);
  Names names;
  for (const SandboxProbe& probe : child.try_sandbox(home, home, kLimit).probes) {
    if (probe.error == 0) names.push_back(probe.what);
  }
  return names;
}

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The child that drives a GPU; there need not be one.
ClientOptions gpu_child() {
  ClientOptions options = measuring_child();
  options.backend = "cuda";
  return options;
}

}  // namespace

TEST_CASE("without a sandbox all that is tried goes: the probes can tell") {
  const Secret home;
  const Names names = allowed(measuring_child(SandboxLevel::none), home.folder());
  for (const char* const name :
       {"read /etc/passwd", "list processes (/proc)", "list the home folder", "write to the repository",
        "write to /tmp", "start a program (/bin/true)", "start a process (fork)", "connect to an abstract socket",
        "signal the judge (kill)", "change the judge's limits (prlimit)"}) {
    INFO(name);
    CHECK(has(names, name));
  }
}

TEST_CASE("a kernel's process on the host can do what loading and answering need, and nothing else") {
  if (best_level() != SandboxLevel::landlock) KGATE_SKIP("this kernel has no Landlock");
  if (relaxed()) KGATE_SKIP("a sanitizer's run time needs more than a kernel may");
  const Secret home;
  CHECK(allowed(measuring_child(), home.folder()) ==
        Names{"read /proc/meminfo", "map memory that can be executed", "make a file in memory (memfd_create)"});
}

TEST_CASE("without Landlock a kernel's process can read, and still not write, start, connect or signal") {
  if (relaxed()) KGATE_SKIP("a sanitizer's run time needs more than a kernel may");
  const Secret home;
  for (const std::string& name : allowed(measuring_child(SandboxLevel::seccomp), home.folder())) {
    INFO(name);
    CHECK((name.starts_with("read ") || name.starts_with("list ") || name == "map memory that can be executed" ||
           name == "make a file in memory (memfd_create)"));
    CHECK(name != "read the judge's memory (process_vm_readv)");
    CHECK(name != "read keyrings (keyctl)");
  }
}

TEST_CASE("a compiling child can read headers and libraries, start the compiler, and write to its own folder") {
  if (best_level() != SandboxLevel::landlock) KGATE_SKIP("this kernel has no Landlock");
  if (relaxed()) KGATE_SKIP("a sanitizer's run time needs more than a compiler may");
  if (compiler_path().empty()) KGATE_SKIP("no C++ compiler");
  const Secret home;
  CHECK(allowed(compiling_child(), home.folder()) == Names{"list /usr/lib", "list /usr/include", "read /proc/meminfo",
                                                           "start a process (fork)", "map memory that can be executed",
                                                           "make a file in memory (memfd_create)", "start the compiler",
                                                           "write to its private folder"});
}

TEST_CASE("the child of a GPU has what the driver is known to need beside its devices") {
  if (best_level() != SandboxLevel::landlock) KGATE_SKIP("this kernel has no Landlock");
  if (relaxed()) KGATE_SKIP("a sanitizer's run time needs more than a driver may");
  const Secret home;
  Names names = allowed(gpu_child(), home.folder());
  names.erase(std::remove(names.begin(), names.end(), "open the GPU (/dev/nvidiactl)"), names.end());
  CHECK(names == Names{"list /usr/lib", "read /proc/meminfo", "name a thread (/proc/self/task)",
                       "read its own /proc/self/maps", "map memory that can be executed",
                       "make a file in memory (memfd_create)", "listen on an abstract socket"});
}

TEST_CASE("whatever is allowed has a reason") {
  if (best_level() != SandboxLevel::landlock) KGATE_SKIP("this kernel has no Landlock");
  if (relaxed()) KGATE_SKIP("a sanitizer's run time needs more");
  for (const ClientOptions& options : {measuring_child(), compiling_child(), gpu_child()}) {
    Client child(options);
    for (const SandboxProbe& probe : child.try_sandbox({}, {}, kLimit).probes) {
      INFO(probe.what);
      CHECK((probe.error != 0 || !probe.needed.empty()));
    }
  }
}

TEST_CASE("a child has limits, and says them") {
  Client compiling(compiling_child()), measuring(measuring_child());
  const auto all = [](const std::vector<std::string>& limits) {
    std::string text;
    for (const std::string& limit : limits) text += limit.substr(0, limit.find(':')) + "\n";
    return text;
  };
  const std::string common =
      "core files\nopen files\nprocesses and threads of the user (not of root)\nmessage queues\n";
  const bool memory = !relaxed();
  CHECK(all(compiling.try_sandbox({}, {}, kLimit).limits) ==
        common + "a file\n" + (memory ? "address space of a process\n" : ""));
  CHECK(all(measuring.try_sandbox({}, {}, kLimit).limits) == common + (memory ? "private memory\n" : ""));
}
