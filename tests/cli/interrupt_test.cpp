#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include <signal.h>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using kgate::Json;

namespace {

// Processes of kgate's whose command line names this fixture's folder or that are children of `parent`.
std::vector<std::string> runners_of(pid_t group) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream status(entry.path() / "stat");
    std::string line;
    if (!std::getline(status, line)) continue;
    const auto close = line.rfind(')');
    if (close == std::string::npos || line.find("(kgate-runner)") == std::string::npos) continue;
    std::istringstream fields(line.substr(close + 2));
    std::string state;
    pid_t parent = 0;
    fields >> state >> parent;
    if (parent == group && state != "Z") found.push_back(line);
  }
  return found;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& line : runners_of(parent)) children.push_back(static_cast<pid_t>(std::stol(line)));
  return children;
}

// Whether a process has a handler for it by now.
bool catches(pid_t process, int signal) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:")) return ((std::stoull(line.substr(7), nullptr, 16) >> (signal - 1)) & 1) != 0;
  }
  return false;
}

}  // namespace

TEST_CASE("a signal at any moment leaves a valid partial result, no process and the signal's exit code") {
  const CliFixture cli;
  // A kernel that never ends, so that the run is still going whenever the signal comes.
  cli.replace("kernels/scale/scale.cu", "if (i < n)",
              "volatile int* stop = (volatile int*)y; while (i == 0 && *stop != 42) {}\n  if (i < n)");
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}, std::pair{SIGHUP, 143}}) {
    for (const int delay : {5, 300, 1500, 4000}) {
      std::filesystem::remove_all(cli.out());
      auto options = cli.command({"run", "--policy-ref", "main"});
      auto process = kgate::Process::start(options);
      std::this_thread::sleep_for(std::chrono::milliseconds(delay));
      const auto runners = children_of(process.id());
      const bool caught = catches(process.id(), signal);
      ::kill(process.id(), signal);
      const auto status = process.wait(std::chrono::seconds(20));
      INFO("signal " << signal << " after " << delay << " ms");
      REQUIRE(status);
      // In its first moments the program has not yet taken hold of its signals.
      CHECK((status->code == code || (!caught && status->signal == signal)));
      for (const pid_t runner : runners) {
        for (int i = 0; i < 100 && ::kill(runner, 0) == 0; ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK(::kill(runner, 0) != 0);
      }
      if (cli.has_result()) {
        const Json result = cli.result();
        CHECK(result["exit_code"] == code);
        CHECK(result["verdict"] != "pass");
        for (const auto& kernel : result["kernels"]) CHECK(kernel["verdict"] == "environment");
      }
    }
  }
}
