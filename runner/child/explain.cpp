#include "runner/child/explain.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <seccomp.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "runner/child/paths.h"
#include "runner/child/sandbox.h"
#include "runner/child/sandbox_probes.h"

// A second process goes under the sandbox, with a filter that asks (Refusal::ask) where the real one refuses, and asks
// for every open() as well. The first one, which is under none, answers: a system call with the error that it would
// have got, an open() with "go on", because Landlock itself is in force and refuses what it refuses. Which opens those
// are is reckoned from the rules; the kernel does not tell (before Linux 6.15, and then to its audit log alone).
// Rejected: ptrace (what a strace would do; the sandboxed process runs differently under it), SECCOMP_RET_TRAP (kills
// threads that block signals, as the driver's do).
namespace kgate::runner {
namespace {

namespace fs = std::filesystem;

std::string words_of(unsigned access) {
  std::string words;
  const auto add = [&](unsigned bit, const char* word) {
    if ((access & bit) != 0) words += (words.empty() ? "" : ", ") + std::string(word);
  };
  add(landlock::kRead, "read");
  add(landlock::kWrite, "write");
  add(landlock::kCreate, "create");
  add(landlock::kExecute, "execute");
  add(landlock::kControl, "control");
  return words;
}

class Supervisor {
 public:
  Supervisor(const Role& role, pid_t watched)
      : role_(role), watched_(watched), memory_(::open(fmt::format("/proc/{}/mem", watched).c_str(), O_RDONLY)) {
    for (auto& rule : paths_for(role)) {
      std::error_code failed;
      const fs::path real = fs::canonical(of_watched(rule.path), failed);
      if (!failed) rules_.push_back({real.string(), rule.access, {}});
    }
  }

  // The answer to one question: an errno, or 0 for "go on".
  int answer(const seccomp_data& call) {
    char* const resolved = ::seccomp_syscall_resolve_num_arch(call.arch, call.nr);
    const std::string name = resolved != nullptr ? resolved : std::to_string(call.nr);
    std::free(resolved);
    if (name == "open") return opened(text_at(call.args[0]), AT_FDCWD, static_cast<int>(call.args[1]));
    if (name == "openat")
      return opened(text_at(call.args[1]), static_cast<int>(call.args[0]), static_cast<int>(call.args[2]));
    if (name == "clone3" || name == "openat2") return ENOSYS;  // programs go on without; not worth a word
    if (role_.cuda() && (name == "unlink" || name == "unlinkat")) return ENOENT;
    say(fmt::format("refused  {}({})", name, arguments(name, call)));
    return EPERM;
  }

 private:
  // Paths and names of sockets as text.
  std::string arguments(const std::string& name, const seccomp_data& call) const {
    static const std::set<std::string> kPathFirst{"unlink", "mkdir",    "rmdir",  "chmod",
                                                  "chown",  "truncate", "execve", "mknod"};
    static const std::set<std::string> kTwoPaths{"symlink", "link", "rename"};
    if (kPathFirst.contains(name)) return fmt::format("\"{}\", {:#x}", text_at(call.args[0]), call.args[1]);
    if (kTwoPaths.contains(name)) return fmt::format("\"{}\", \"{}\"", text_at(call.args[0]), text_at(call.args[1]));
    if (name == "connect" || name == "bind") {
      std::string text = text_at(call.args[1] + 2);  // behind the family
      if (text.empty()) text = "@" + text_at(call.args[1] + 3);
      return fmt::format("{:#x}, \"{}\"", call.args[0], text);
    }
    return fmt::format("{:#x}, {:#x}, {:#x}", call.args[0], call.args[1], call.args[2]);
  }

  int opened(const std::string& path, int folder, int flags) {
    unsigned wanted = 0;
    const int mode = flags & O_ACCMODE;
    if (mode != O_WRONLY) wanted |= landlock::kRead;
    if (mode != O_RDONLY || (flags & O_TRUNC) != 0) wanted |= landlock::kWrite;
    fs::path whole = of_watched(path);
    if (whole.is_relative()) {
      std::error_code ignored;
      const std::string link = folder == AT_FDCWD ? "cwd" : fmt::format("fd/{}", folder);
      whole = fs::read_symlink(fmt::format("/proc/{}/{}", watched_, link), ignored) / whole;
    }
    std::error_code failed;
    const bool there = fs::exists(whole, failed);
    if (!there && (flags & O_CREAT) == 0) return 0;  // "not there" is no refusal
    const fs::path real = fs::weakly_canonical(whole, failed);
    if (!there) wanted |= landlock::kCreate;
    if (role_.runs_native_kernels() && (wanted & ~unsigned{landlock::kRead}) != 0) {
      say(fmt::format("refused  {} {}", words_of(wanted), whole.string()));
      return EPERM;
    }
    unsigned allowed = 0;
    for (const auto& rule : rules_) {
      const fs::path beneath = real.lexically_relative(rule.path);
      if (real == rule.path || (!beneath.empty() && *beneath.begin() != "..")) allowed |= rule.access;
    }
    if ((wanted & ~allowed) != 0) say(fmt::format("refused  {} {}", words_of(wanted), whole.string()));
    return 0;
  }

  // /proc/self is somebody else's in this process.
  std::string of_watched(const std::string& path) const {
    for (const std::string self : {"/proc/self", "/proc/thread-self"}) {
      if (path == self || path.rfind(self + "/", 0) == 0)
        return fmt::format("/proc/{}", watched_) + path.substr(self.size());
    }
    return path;
  }

  std::string text_at(std::uint64_t address) const {
    std::string text;
    for (char letter = 0; text.size() < 4096; text += letter) {
      if (::pread(memory_.get(), &letter, 1, static_cast<off_t>(address + text.size())) != 1 || letter == '\0') break;
    }
    return text;
  }

  void say(const std::string& line) {
    if (!said_.insert(line).second) return;
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }

  Role role_;
  pid_t watched_;
  UniqueFd memory_;
  std::vector<landlock::PathRule> rules_;
  std::set<std::string> said_;
};

// Until the other process has ended.
void supervise(Supervisor& supervisor, int listener, int ended) {
  seccomp_notif* question = nullptr;
  seccomp_notif_resp* reply = nullptr;
  if (::seccomp_notify_alloc(&question, &reply) != 0)
    throw Error(ErrorKind::environment, "seccomp", "this kernel cannot ask another process");
  while (true) {
    std::array<pollfd, 2> watched{{{listener, POLLIN, 0}, {ended, POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno == EINTR) continue;
    if ((watched[0].revents & POLLIN) == 0) break;
    std::memset(question, 0, sizeof(*question));
    if (::seccomp_notify_receive(listener, question) != 0) continue;  // it was interrupted, and asks again or is gone
    const int error = supervisor.answer(question->data);
    *reply = {};
    reply->id = question->id;
    reply->error = -error;
    if (error == 0) reply->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ::seccomp_notify_respond(listener, reply);
  }
  ::seccomp_notify_free(question, reply);
}

// In the second process. Writes the number of its listener, waits for a word, uses the device.
[[noreturn]] void be_watched(const ChildOptions& options, int to_supervisor, int from_supervisor) {
  const Sandbox sandbox = enter_sandbox(options.role, options.most, Refusal::ask);
  const int listener = sandbox.listener.get();
  char word = 0;
  if (::write(to_supervisor, &listener, sizeof(listener)) != sizeof(listener)) ::_exit(70);
  if (::read(from_supervisor, &word, 1) != 1) ::_exit(70);
  ServeOptions serve = options.serve;
  serve.sandbox = sandbox.report;
  std::printf("sandbox %s, Landlock ABI %u%s%s\n", name_of(sandbox.report.level), sandbox.report.landlock_abi,
              sandbox.report.note.empty() ? "" : ": ", sandbox.report.note.c_str());
  for (const Limit& limit : sandbox.limits) std::printf("  %s\n", in_force(limit).c_str());
  std::printf("refused, as it starts the device:\n");
  std::fflush(stdout);
  const std::string trouble = use_device(serve);
  std::printf("%s backend: %s\n", serve.role.backend.c_str(), trouble.empty() ? "it works" : trouble.c_str());
  std::fflush(stdout);
  ::_exit(trouble.empty() ? 0 : 5);
}

void print_rules(const Role& role) {
  std::printf("may open:\n");
  for (const auto& rule : paths_for(role)) {
    std::error_code failed;
    if (fs::exists(rule.path, failed))
      std::printf("  %-44s %s (%s)\n", rule.path.c_str(), words_of(rule.access).c_str(), rule.why.c_str());
  }
  std::fflush(stdout);
}

}  // namespace

int explain_sandbox(const ChildOptions& options) {
  if (options.role.compiles || options.most == SandboxLevel::none)
    throw Error(ErrorKind::usage, "--explain-sandbox", "is for a child that measures, under a sandbox");
  print_rules(options.role);
  std::array<int, 2> up{}, down{};
  if (::pipe2(up.data(), O_CLOEXEC) != 0 || ::pipe2(down.data(), O_CLOEXEC) != 0)
    throw system_error("pipe", "cannot be made", errno);
  const pid_t child = ::fork();
  if (child < 0) throw system_error("kgate-runner", "no second process can be started", errno);
  if (child == 0) be_watched(options, up[1], down[0]);
  ::close(up[1]);
  int number = -1;
  const UniqueFd handle(static_cast<int>(::syscall(434 /* pidfd_open */, child, 0)));
  if (::read(up[0], &number, sizeof(number)) != sizeof(number) || number < 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    throw Error(ErrorKind::environment, "seccomp", "this kernel or container has no filter that can ask",
                "use strace -f, and look for EACCES and EPERM");
  }
  const UniqueFd listener(static_cast<int>(::syscall(438 /* pidfd_getfd */, handle.get(), number, 0)));
  if (!listener) {
    const int why = errno;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    throw system_error("kgate-runner", "cannot watch the second process", why);
  }
  Supervisor supervisor(options.role, child);
  if (::write(down[1], "g", 1) != 1) throw system_error("kgate-runner", "cannot speak to the second process", errno);
  supervise(supervisor, listener.get(), handle.get());
  int status = 0;
  ::waitpid(child, &status, 0);
  std::fflush(stdout);
  if (WIFSIGNALED(status)) std::printf("ended by signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}

}  // namespace kgate::runner
