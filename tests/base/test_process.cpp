#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "tests/base/in_child.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"

using namespace kgate;
using std::chrono::milliseconds;

namespace {

ProcessOptions shell(const std::string& script) {
  ProcessOptions options;
  options.command = {"/bin/sh", "-c", script};
  return options;
}

std::string output_of(const ProcessOptions& options) {
  const CommandResult result = run_command(options, {});
  CHECK(result.status.ok());
  return result.output;
}

// Gone, or a zombie that waits for whoever adopted it.
bool has_ended(pid_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t after_name = text.rfind(')');
  return after_name == std::string::npos || text.substr(after_name + 2, 1) == "Z";
}

bool ends_soon(pid_t id) {
  for (int i = 0; i < 1000 && !has_ended(id); ++i) std::this_thread::sleep_for(milliseconds(10));
  return has_ended(id);
}

int open_descriptors() {
  int count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

// The numbers of the descriptors that the shell has.
const std::string kShowDescriptors = "for n in $(seq 0 60); do [ -e /proc/$$/fd/$n ] && printf \"$n \"; done; true";

bool has_children() {
  return !(::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD);
}

}  // namespace

TEST_CASE("a command gives its output and its exit code") {
  const CommandResult result = run_command(shell("echo out; echo err >&2; exit 7"), {});
  CHECK(result.output == "out\nerr\n");
  CHECK(result.status.code == 7);
  CHECK(result.status.signal == 0);
  CHECK_FALSE(result.timed_out);
  CHECK(run_command(shell("kill -TERM $$"), {}).status.signal == SIGTERM);
}

TEST_CASE("what a command says on stderr is kept apart where that is asked for, its first bytes alone") {
  CommandLimits limits;
  limits.max_errors = 1000;
  const CommandResult both = run_command(shell("echo out; echo err >&2; exit 7"), limits);
  CHECK(both.output == "out\n");
  CHECK(both.errors == "err\n");
  CHECK(both.status.code == 7);
  const CommandResult loud = run_command(shell("yes | head -c 300000 >&2; echo out"), limits);
  CHECK(loud.output == "out\n");
  CHECK(loud.errors.size() == 1000);
  CHECK(run_command(shell("echo err >&2"), {}).errors.empty());
}

TEST_CASE("a command inherits nothing: no variables, no input, no descriptors, no blocked signals") {
  ProcessOptions options;
  options.command = {"env"};
  options.environment = {{"A", "1"}, {"B", ""}};
  CHECK(output_of(options) == "A=1\nB=\n");
  CHECK(output_of(shell("wc -c")) == "0\n");
  const UniqueFd leak(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  CHECK(output_of(shell(kShowDescriptors)) == "0 1 2 ");
  sigset_t set;
  sigset_t before;
  sigfillset(&set);
  ::pthread_sigmask(SIG_SETMASK, &set, &before);
  ::signal(SIGUSR1, SIG_IGN);
  const std::string signals = output_of(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status"));
  ::signal(SIGUSR1, SIG_DFL);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK(signals == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_CASE("a command runs in the folder that it is given") {
  const TemporaryFolder folder("kgate-test");
  ProcessOptions options = shell("pwd");
  options.folder = folder.path();
  CHECK(output_of(options) == folder.path().string() + "\n");
}

TEST_CASE("descriptors arrive under the numbers that were asked for, even when they change places") {
  const TemporaryFolder folder("kgate-test");
  write_file_atomic(folder.path() / "a", "a");
  write_file_atomic(folder.path() / "b", "b");
  const UniqueFd a(::open((folder.path() / "a").c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd b(::open((folder.path() / "b").c_str(), O_RDONLY | O_CLOEXEC));
  ProcessOptions options =
      shell("cat /proc/self/fd/" + std::to_string(a.get()) + " /proc/self/fd/" + std::to_string(b.get()));
  options.descriptors = {{a.get(), b.get()}, {b.get(), a.get()}};
  CHECK(output_of(options) == "ba");
}

TEST_CASE("a child's number above all of ours leaves nothing else open below it") {
  const UniqueFd one(::open("/dev/null", O_RDONLY));
  ProcessOptions options = shell(kShowDescriptors);
  options.descriptors = {{one.get(), 40}};
  CHECK(output_of(options) == "0 1 2 40 ");
}

TEST_CASE("a program that cannot be started is an error that says why, and leaves no child") {
  const TemporaryFolder folder("kgate-test");
  const std::string plain = (folder.path() / "plain").string();
  write_file_atomic(plain, "text");
  const auto start = [](const std::string& program, const std::string& in = "") {
    ProcessOptions options;
    options.command = {program};
    options.folder = in;
    return error_of([&] { Process::start(options); });
  };
  CHECK(start("no-such-program") ==
        "environment: no-such-program: is not installed; looked in "
        "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  CHECK(start("/none/x") ==
        "environment: /none/x: cannot be started: it cannot be executed: No such file or directory");
  CHECK(start(plain) == "environment: " + plain + ": cannot be started: it cannot be executed: Permission denied");
  CHECK(start("/bin/true", "/none") ==
        "environment: /bin/true: cannot be started: its working folder cannot be entered: No such file or directory");
  CHECK(start("") == "internal: process: has no command");
  CHECK_FALSE(has_children());
}

TEST_CASE("a command that overruns its deadline is killed, and what it printed is kept") {
  CommandLimits limits;
  limits.deadline = milliseconds(100);
  const CommandResult result = run_command(shell("sleep 1000"), limits);
  CHECK(result.timed_out);
  CHECK(result.status.signal == SIGKILL);
  limits.deadline = milliseconds::max();
  CHECK_FALSE(run_command(shell("true"), limits).timed_out);
}

TEST_CASE("a command that never stops printing is stopped all the same") {
  CommandLimits limits;
  limits.deadline = milliseconds(200);
  limits.max_output = 100;
  CHECK(run_command(shell("exec yes"), limits).timed_out);
}

TEST_CASE("what a command started is killed with it") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const UniqueFd output(ends[0]);
  UniqueFd input(ends[1]);
  ProcessOptions options = shell("sleep 1000 & echo $!; wait");
  options.descriptors = {{input.get(), 1}};
  Process process = Process::start(options);
  input.reset();
  std::array<char, 32> text{};
  REQUIRE(::read(output.get(), text.data(), text.size() - 1) > 0);
  const pid_t grandchild = std::stoi(text.data());
  CHECK_FALSE(process.wait(milliseconds(0)).has_value());
  CHECK(process.kill().signal == SIGKILL);
  CHECK(process.kill().signal == SIGKILL);  // told again
  CHECK(ends_soon(grandchild));
}

TEST_CASE("what a command left behind neither lives on nor holds its output open") {
  const CommandResult result = run_command(shell("sleep 1000 & echo $!"), {});
  CHECK(result.status.ok());
  CHECK(ends_soon(std::stoi(result.output)));
}

TEST_CASE("a process that is forgotten is killed and reaped") {
  pid_t id = 0;
  {
    Process first = Process::start(shell("sleep 1000"));
    Process second = std::move(first);
    id = second.id();
    second = Process::start(shell("sleep 1000"));
    CHECK(has_ended(id));
    id = second.id();
  }
  CHECK(has_ended(id));
  CHECK_FALSE(has_children());
  CHECK(error_of([] { Process().kill(); }) == "internal: process: was never started");
  CHECK(error_of([] { Process().wait(milliseconds(0)); }) == "internal: process: was never started");
}

TEST_CASE("a process dies with its parent") {
  const pid_t id = std::stoi(in_child([] {
    Process process = Process::start(shell("sleep 1000"));
    const std::string number = std::to_string(process.id());
    new Process(std::move(process));  // no destructor: the parent ends as if it had crashed
    return number;
  }));
  CHECK(ends_soon(id));
}

TEST_CASE("long output is cut, and the command still ends by itself") {
  CommandLimits limits;
  limits.max_output = 10;
  const CommandResult result = run_command(shell("head -c 1000000 /dev/zero | tr '\\0' x"), limits);
  CHECK(result.status.ok());
  CHECK(result.output == "xxxxxxxxxx\n[cut after 10 bytes]\n");
  limits.max_output = 5;
  CHECK(run_command(shell("printf 12345"), limits).output == "12345");
}

TEST_CASE("an interrupt ends a command at once") {
  CHECK(in_child([]() -> std::string {
          const Interrupt interrupt;
          CommandLimits limits;
          limits.interrupt = &interrupt;
          ::kill(::getpid(), SIGINT);
          const std::string error = error_of([&] { run_command(shell("sleep 1000"), limits); });
          return error + (has_children() ? ", a child is left" : "");
        }) == "interrupted: interrupted by SIGINT");
}

TEST_CASE("commands leave no descriptor open") {
  const int before = open_descriptors();
  for (int i = 0; i < 20; ++i) run_command(shell("true"), {});
  ProcessOptions none;
  none.command = {"/none"};
  for (int i = 0; i < 5; ++i) CHECK(error_of([&] { run_command(none, {}); }) != "no error");
  CHECK(open_descriptors() == before);
}

TEST_CASE("processes can be started from many threads at once") {
  std::vector<std::thread> threads;
  std::array<std::string, 8> outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    threads.emplace_back([&outputs, i] {
      for (int n = 0; n < 10; ++n) outputs[i] += run_command(shell("echo " + std::to_string(i)), {}).output;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::string expected;
    for (int n = 0; n < 10; ++n) expected += std::to_string(i) + "\n";
    CHECK(outputs[i] == expected);
  }
}

TEST_CASE("a process can close itself to others of its user, for good") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  KGATE_SKIP("a sanitizer's leak check looks from outside");
#else
  CHECK(in_child([] {
          hide_this_process();
          return std::to_string(::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
        }) == "0");
#endif
}
