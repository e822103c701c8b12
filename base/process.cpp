#include "base/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

// How a child is started. posix_spawn cannot close every other descriptor on glibc 2.35 nor ask to die with its parent;
// fork copies the page tables of a judge that may hold gigabytes of outputs. So the child is cloned into the judge's
// own memory (as posix_spawn does it), on a stack of its own, while the calling thread waits until it has called exec
// or failed. Until then it may only do what a signal handler may: everything that allocates is prepared before, in a
// Plan, and the reason of a failure is left there. The clone brings the pidfd with it.
namespace kgate {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Plan {
  std::string program, folder;
  std::vector<std::string> assignments;
  std::vector<char*> arguments, environment;
  std::vector<std::pair<int, int>> descriptors;
  std::vector<int> copies;  // scratch for the child, one a descriptor
  int first_free = 3;       // above every number that the child is to have
  int descriptor_limit = 1024;
  pid_t parent = -1;
  bool own_group = true;
  bool dies_with_parent = true;
  // Written by the child.
  volatile int error = 0;
  const char* volatile failed = nullptr;
};

// ---- in the child: no allocation, no exception, nothing that takes a lock

void give_up(Plan& plan, const char* what) {
  plan.error = errno;
  plan.failed = what;
  ::_exit(127);
}

void set_default_signals(Plan& plan) {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number)
    ::sigaction(number, &standard, nullptr);  // refused for SIGKILL and glibc's own
  sigset_t none;
  sigemptyset(&none);
  if (::sigprocmask(SIG_SETMASK, &none, nullptr) != 0) give_up(plan, "its signals cannot be unblocked");
}

// First out of the way, then into place: a number that the child is to have may be one of ours that is still needed.
void arrange_descriptors(Plan& plan) {
  for (std::size_t i = 0; i < plan.descriptors.size(); ++i) {
    plan.copies[i] = ::fcntl(plan.descriptors[i].first, F_DUPFD_CLOEXEC, plan.first_free);
    if (plan.copies[i] < 0) give_up(plan, "a descriptor cannot be handed over");
  }
  for (std::size_t i = 0; i < plan.descriptors.size(); ++i) {
    if (::dup2(plan.copies[i], plan.descriptors[i].second) < 0) give_up(plan, "a descriptor cannot be handed over");
  }
  for (int number = 0; number < plan.first_free; ++number) {
    bool wanted = false;
    for (const auto& [ours, theirs] : plan.descriptors) wanted = wanted || theirs == number;
    if (!wanted) ::close(number);
  }
  const auto from = static_cast<unsigned>(plan.first_free);
  if (::syscall(SYS_close_range, from, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  for (int number = plan.first_free; number < plan.descriptor_limit; ++number) ::fcntl(number, F_SETFD, FD_CLOEXEC);
}

int child_main(void* argument) {
  Plan& plan = *static_cast<Plan*>(argument);
  if (plan.own_group && ::setpgid(0, 0) != 0) give_up(plan, "it cannot lead a process group");
  if (plan.dies_with_parent) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(plan, "it cannot be made to end with its parent");
    if (::getppid() != plan.parent) ::_exit(127);  // the parent was gone before we asked
  }
  if (!plan.folder.empty() && ::chdir(plan.folder.c_str()) != 0) give_up(plan, "its working folder cannot be entered");
  arrange_descriptors(plan);
  set_default_signals(plan);
  ::execve(plan.program.c_str(), plan.arguments.data(), plan.environment.data());
  give_up(plan, "it cannot be executed");
  return 127;
}

// ---- in the parent

bool is_program(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string find_program(const ProcessOptions& options) {
  if (options.command.empty() || options.command.front().empty())
    throw Error(ErrorKind::internal, "process", "has no command");
  const std::string& name = options.command.front();
  // Relative to our folder, which may not be the child's.
  if (name.find('/') != std::string::npos) return std::filesystem::absolute(name).string();
  std::size_t begin = 0;
  while (begin <= options.search_path.size()) {
    const std::size_t end = std::min(options.search_path.find(':', begin), options.search_path.size());
    const std::string folder = options.search_path.substr(begin, end - begin);
    std::string path = fmt::format("{}/{}", folder, name);
    if (!folder.empty() && is_program(path)) return path;
    begin = end + 1;
  }
  throw Error(ErrorKind::environment, name, "is not installed", "looked in " + options.search_path);
}

void prepare(const ProcessOptions& options, int null_device, Plan& plan) {
  plan.program = find_program(options);
  plan.folder = options.folder.string();
  for (const std::string& argument : options.command) plan.arguments.push_back(const_cast<char*>(argument.c_str()));
  plan.arguments.push_back(nullptr);
  for (const auto& [name, value] : options.environment) plan.assignments.push_back(fmt::format("{}={}", name, value));
  for (std::string& assignment : plan.assignments) plan.environment.push_back(assignment.data());
  plan.environment.push_back(nullptr);
  plan.descriptors = options.descriptors;
  // Without an output of its own a child would get the next file it opens as its stdout.
  for (int standard = 0; standard <= 2; ++standard) {
    const auto is_it = [&](const auto& pair) { return pair.second == standard; };
    if (std::none_of(plan.descriptors.begin(), plan.descriptors.end(), is_it))
      plan.descriptors.emplace_back(null_device, standard);
  }
  for (const auto& [ours, theirs] : plan.descriptors) plan.first_free = std::max(plan.first_free, theirs + 1);
  plan.copies.resize(plan.descriptors.size());
  plan.descriptor_limit = static_cast<int>(std::clamp(::sysconf(_SC_OPEN_MAX), 1024L, 1L << 20));
  plan.parent = ::getpid();
  plan.own_group = options.own_group;
  plan.dies_with_parent = options.dies_with_parent;
}

class ChildStack {
 public:
  ChildStack() : base_(::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {
    if (base_ == MAP_FAILED) throw system_error("process", "has no memory for a stack", errno);
  }
  ChildStack(const ChildStack&) = delete;
  ChildStack& operator=(const ChildStack&) = delete;
  ~ChildStack() { ::munmap(base_, kSize); }
  void* top() const { return static_cast<std::byte*>(base_) + kSize; }

 private:
  static constexpr std::size_t kSize = std::size_t{256}
                                       << 10;  // sanitizers need more than the few KiB that the code does
  void* base_;
};

// No handler of ours may run in the child, which shares our memory.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// Whole milliseconds that poll() can take, rounded up so that a wait does not spin on its last fraction.
int poll_time(Clock::duration left) {
  const auto ms = std::chrono::ceil<milliseconds>(left).count();
  return static_cast<int>(std::clamp<decltype(ms)>(ms, 0, INT_MAX));
}

Clock::time_point deadline_after(milliseconds limit) {
  // A limit may be milliseconds::max(); a year is as good.
  return Clock::now() + std::min<milliseconds>(limit, std::chrono::hours(24 * 365));
}

}  // namespace

void hide_this_process() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

Process Process::start(const ProcessOptions& options) {
  const UniqueFd null_device(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null_device) throw system_error("/dev/null", "cannot be opened", errno);
  Plan plan;
  prepare(options, null_device.get(), plan);
  const ChildStack stack;
  Process process;
  int handle = -1, why = 0;
  {
    const SignalsBlocked blocked;
    process.leads_group_ = options.own_group;
    process.id_ = ::clone(child_main, stack.top(), CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &plan, &handle);
    why = errno;
  }
  if (process.id_ < 0)
    throw Error(ErrorKind::environment, options.command.front(),
                "no process can be started: " + fmt::format("{}", std::strerror(why)));
  process.handle_ = UniqueFd(handle);
  if (plan.failed != nullptr) {
    const int error = plan.error;
    process.kill();
    throw Error(ErrorKind::environment, options.command.front(),
                fmt::format("cannot be started: {}: {}", plan.failed, std::generic_category().message(error)));
  }
  return process;
}

Process::Process(Process&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      leads_group_(other.leads_group_),
      handle_(std::move(other.handle_)),
      ended_(std::exchange(other.ended_, std::nullopt)) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    Process gone(std::move(*this));
    id_ = std::exchange(other.id_, -1);
    leads_group_ = other.leads_group_;
    handle_ = std::move(other.handle_);
    ended_ = std::exchange(other.ended_, std::nullopt);
  }
  return *this;
}

Process::~Process() {
  if (id_ <= 0 || ended_) return;
  try {
    kill();
  } catch (const Error&) {
    // Only a system call that cannot fail here would bring us here; there is nobody to tell.
  }
}

std::optional<ExitStatus> Process::wait(milliseconds limit) {
  if (ended_) return ended_;
  if (id_ <= 0) throw Error(ErrorKind::internal, "process", "was never started");
  const Clock::time_point deadline = deadline_after(limit);
  pollfd watched{handle_.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&watched, 1, poll_time(deadline - Clock::now()));
    if (ready < 0 && errno != EINTR) throw system_error("process", "cannot be waited for", errno);
  } while (ready <= 0 && Clock::now() < deadline);
  if (ready <= 0) return std::nullopt;
  // It has ended but is not reaped, so its number still names its group and nothing else: what it left behind goes now.
  if (leads_group_) ::kill(-id_, SIGKILL);
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED) != 0) {
    if (errno != EINTR) throw system_error("process", "cannot be reaped", errno);
  }
  ended_ = info.si_code == CLD_EXITED ? ExitStatus{info.si_status, 0} : ExitStatus{0, info.si_status};
  return ended_;
}

ExitStatus Process::kill() {
  if (ended_) return *ended_;
  if (id_ <= 0) throw Error(ErrorKind::internal, "process", "was never started");
  if (leads_group_) ::kill(-id_, SIGKILL);
  // The group is not there yet when the child failed before it made one.
  ::kill(id_, SIGKILL);
  return *wait(milliseconds::max());
}

namespace {

// Our end of what a command prints to.
class Printed {
 public:
  // `most`: bytes that are kept.
  explicit Printed(std::uint64_t most) : most_(most) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("pipe", "cannot be made", errno);
    ours_ = UniqueFd(ends[0]);
    theirs_ = UniqueFd(ends[1]);
    ::fcntl(ours_.get(), F_SETFL, O_NONBLOCK);  // our end alone: the other is a file description of its own
  }
  int theirs() const { return theirs_.get(); }
  void started() { theirs_.reset(); }
  // For poll(): -1 once there is nothing more to come.
  int fd() const { return open_ ? ours_.get() : -1; }
  bool cut() const { return cut_; }
  std::string& text() { return text_; }

  // A few chunks at a time: a command that never stops printing must not keep us from looking at the clock.
  void collect(const std::string& command) {
    std::array<char, 65536> chunk;
    for (int chunks = 0; open_ && chunks < 64; ++chunks) {
      const ssize_t got = ::read(ours_.get(), chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got < 0) throw system_error(command, "its output cannot be read", errno);
      open_ = got > 0;
      const auto room = most_ - text_.size();
      cut_ = cut_ || static_cast<std::uint64_t>(got) > room;
      text_.append(chunk.data(),
                   static_cast<std::size_t>(std::min<std::uint64_t>(static_cast<std::uint64_t>(got), room)));
    }
  }

 private:
  std::uint64_t most_;
  UniqueFd ours_, theirs_;
  bool open_ = true, cut_ = false;
  std::string text_;
};

}  // namespace

CommandResult run_command(const ProcessOptions& options, const CommandLimits& limits) {
  Printed output(limits.max_output);
  std::optional<Printed> errors;
  if (limits.max_errors > 0) errors.emplace(limits.max_errors);
  ProcessOptions wired = options;
  wired.descriptors.emplace_back(output.theirs(), 1);
  wired.descriptors.emplace_back(errors ? errors->theirs() : output.theirs(), 2);
  Process process = Process::start(wired);
  output.started();
  if (errors) errors->started();

  CommandResult result;
  const auto collect = [&] {
    output.collect(options.command.front());
    if (errors) errors->collect(options.command.front());
  };
  const Clock::time_point deadline = deadline_after(limits.deadline);
  while (true) {
    const int signals = limits.interrupt == nullptr ? -1 : limits.interrupt->fd();
    std::array<pollfd, 4> watched{{{process.fd(), POLLIN, 0},
                                   {output.fd(), POLLIN, 0},
                                   {errors ? errors->fd() : -1, POLLIN, 0},
                                   {signals, POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), poll_time(deadline - Clock::now())) < 0 && errno != EINTR) {
      throw system_error(options.command.front(), "cannot be waited for", errno);
    }
    if (limits.interrupt != nullptr) limits.interrupt->check();
    if (const auto status = process.wait(milliseconds(0))) {
      result.status = *status;
      break;
    }
    if (Clock::now() >= deadline) {
      result.status = process.kill();
      result.timed_out = true;
      break;
    }
    collect();
  }
  collect();  // what is in the pipe; not until it closes, since somebody who left the group may hold it
  result.output = std::move(output.text());
  if (errors) result.errors = std::move(errors->text());
  if (output.cut()) result.output += fmt::format("\n[cut after {} bytes]\n", limits.max_output);
  return result;
}

}  // namespace kgate
