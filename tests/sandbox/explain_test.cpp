#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "base/process.h"
#include "tests/sandbox/sandbox_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;

namespace {

struct Said {
  int code = -1;
  std::vector<std::string> lines;
  bool has(const std::string& line) const { return std::find(lines.begin(), lines.end(), line) != lines.end(); }
  std::vector<std::string> refused() const {
    std::vector<std::string> found;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(found),
                 [](const std::string& line) { return line.starts_with("refused  "); });
    return found;
  }
};

Said say_by_hand(std::vector<std::string> arguments, const std::string& libraries = {}) {
  ProcessOptions options;
  options.command = {KGATE_RUNNER};
  options.command.insert(options.command.end(), arguments.begin(), arguments.end());
  options.environment = {{"PATH", options.search_path}};
  if (!libraries.empty()) options.environment["LD_LIBRARY_PATH"] = libraries;
  const CommandResult result = run_command(options, {});
  Said said{result.status.code, {}};
  std::istringstream text(result.output);
  for (std::string line; std::getline(text, line);) said.lines.push_back(line);
  return said;
}

}  // namespace

TEST_CASE("the runner explains what a child may open, and that the host's device needs nothing else") {
  const Said said = say_by_hand({"--backend", "host", "--explain-sandbox"});
  if (said.code == 70) KGATE_SKIP("this kernel or container cannot ask another process");
  CHECK(said.code == 0);
  CHECK(said.has("may open:"));
  CHECK(said.has("  /proc/meminfo                                read (how much memory and how many CPUs there are)"));
  CHECK(said.has("  core files: 0"));
  CHECK(said.has("host backend: it works"));
  CHECK(said.refused().empty());
}

TEST_CASE("the runner names each path and each call that a driver was refused, once") {
  const Said said = say_by_hand({"--backend", "cuda", "--explain-sandbox"}, KGATE_NOSY_DRIVER);
  if (said.code == 70) KGATE_SKIP("this kernel or container cannot ask another process");
  if (std::any_of(said.lines.begin(), said.lines.end(),
                  [](const std::string& line) { return line.find("without CUDA headers") != std::string::npos; }))
    KGATE_SKIP("built without the cuda backend");
  CHECK(said.code == 5);
  CHECK(said.refused() == std::vector<std::string>{"refused  read /etc/passwd", "refused  read, write /etc/passwd",
                                                   "refused  write, create /tmp/kgate-nosy-driver",
                                                   "refused  socket(0x2, 0x1, 0x0)"});
  CHECK(said.has(
      "cuda backend: cuda driver: libcuda.so.1 has no cuDriverGetVersion of CUDA 2.2; install an NVIDIA driver "
      "for CUDA 12.0 or newer (525 or newer)"));
}

TEST_CASE("what the runner does not know is an error that says so") {
  const Said said = say_by_hand({"--rubbish"});
  CHECK(said.code == 64);
  CHECK(said.lines ==
        std::vector<std::string>{
            "kgate-runner: \"--rubbish\": is not known; kgate starts this program, it is not for use by hand"});
  CHECK(say_by_hand({"--sandbox", "best"}).lines ==
        std::vector<std::string>{"kgate-runner: sandbox \"best\": is no level; use none, seccomp or landlock"});
  CHECK(say_by_hand({"--backend", "host", "--compile", "/tmp", "--explain-sandbox"}).lines ==
        std::vector<std::string>{"kgate-runner: --explain-sandbox: is for a child that measures, under a sandbox"});
}
