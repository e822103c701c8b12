#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/interrupt.h"
#include "base/unique_fd.h"

namespace kgate {

struct ProcessOptions {
  std::vector<std::string> command;                // command[0] is a path, or a name looked up in `search_path`
  std::map<std::string, std::string> environment;  // the whole environment of the child; nothing is inherited
  std::string search_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  std::filesystem::path folder;                  // working folder; empty: the parent's
  std::vector<std::pair<int, int>> descriptors;  // (ours, the child's number); else 0-2 are /dev/null, the rest closed
  // PR_SET_PDEATHSIG. The kernel takes the thread that calls start() for the parent: it must outlive the child.
  // False: it stays in our group, and whoever kills that takes it along, with all that it started.
  bool own_group = true;
  bool dies_with_parent = true;
};

// Closes this process's memory and environment to others of the same user, and leaves no core file. (Not in a build
// with a sanitizer, whose leak check looks from outside.)
void hide_this_process();

// How a process ended.
struct ExitStatus {
  int code = 0;    // exit code, when signal is 0
  int signal = 0;  // the signal that ended it
  bool ok() const { return code == 0 && signal == 0; }
};

// A child that leads a process group of its own, so that it can be killed with everything it started. The destructor
// kills and reaps.
class Process {
 public:
  // Throws Error(environment) where the program cannot be started (the errno of exec is reported, not a later exit
  // code).
  static Process start(const ProcessOptions& options);
  Process() = default;
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  pid_t id() const { return id_; }
  // A pidfd: readable when the process has ended.
  int fd() const { return handle_.get(); }
  // Waits at most that long; nothing if it still runs.
  std::optional<ExitStatus> wait(std::chrono::milliseconds limit);
  // SIGKILL to the whole group, then reap.
  ExitStatus kill();

 private:
  pid_t id_ = -1;
  bool leads_group_ = true;
  UniqueFd handle_;
  std::optional<ExitStatus> ended_;
};

struct CommandResult {
  ExitStatus status;
  bool timed_out = false;
  // stdout and stderr together, in the order of arrival, cut at max_output with a line that says so.
  std::string output;
  std::string errors;  // stderr, where it was asked for apart
};

struct CommandLimits {
  std::chrono::milliseconds deadline{120000};
  std::uint64_t max_output = 1 << 20;
  std::uint64_t max_errors = 0;          // more: stderr is kept apart, its first bytes, and `output` is stdout alone
  const Interrupt* interrupt = nullptr;  // throws Error(interrupted) when it fires
};

// Runs a command to its end and collects what it prints. A command that overruns its deadline is killed with its group.
CommandResult run_command(const ProcessOptions& options, const CommandLimits& limits);

}  // namespace kgate
