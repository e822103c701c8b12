#include "runner/child/sandbox_probes.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <functional>
#include <semaphore>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/unique_fd.h"

namespace kgate::runner {
namespace {

// Each answers with 0, an errno, or kNotThere.
int outcome(long result) {
  if (result >= 0) return 0;
  return errno == ENOENT || errno == ESRCH ? kNotThere : errno;
}

// For a call with arguments that mean nothing: any other complaint than a refusal shows that the way was open.
int reached(long result) {
  return result < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS) ? errno : 0;
}

int open_it(const std::string& path, int flags) {
  const UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC));
  return outcome(fd.get());
}

int list_it(const std::string& folder) {
  return open_it(folder, O_RDONLY | O_DIRECTORY);
}

int create_in(const std::string& folder, const char* content = "") {
  const std::string path = folder + "/.kgate-sandbox-probe";
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755));
  if (!fd) return outcome(-1);
  const bool whole = ::write(fd.get(), content, std::strlen(content)) >= 0;
  return whole ? 0 : outcome(-1);
}

void remove_from(const std::string& folder) {
  ::unlink((folder + "/.kgate-sandbox-probe").c_str());
}

int create_and_remove(const std::string& folder) {
  const int error = create_in(folder);
  if (error == 0) remove_from(folder);
  return error;
}

int start(const std::string& program, const char* argument) {
  std::string path = program, word = argument;
  std::array<char*, 3> arguments{path.data(), word.data(), nullptr};
  std::array<char*, 1> environment{nullptr};
  posix_spawn_file_actions_t quiet;
  ::posix_spawn_file_actions_init(&quiet);
  ::posix_spawn_file_actions_addclose(&quiet, 1);
  pid_t id = 0;
  const int error = ::posix_spawn(&id, path.c_str(), &quiet, nullptr, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&quiet);
  if (error != 0) return error == ENOENT ? kNotThere : error;
  ::waitpid(id, nullptr, 0);
  return 0;
}

int start_own(const std::string& folder) {
  if (folder.empty() || create_in(folder, "#!/bin/true\n") != 0) return kNotThere;
  const int error = start(folder + "/.kgate-sandbox-probe", "");
  remove_from(folder);
  return error;
}

int fork_once() {
  const pid_t id = ::fork();
  if (id == 0) ::_exit(0);
  if (id > 0) ::waitpid(id, nullptr, 0);
  return outcome(id);
}

// Port 9 (discard): a refusal by the other end is an answer from the network.
int reach_tcp() {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return outcome(-1);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int result = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  return result != 0 && errno == ECONNREFUSED ? 0 : outcome(result);
}

int reach_udp() {
  const UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return outcome(fd.get());
}

sockaddr_un abstract_name(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  return address;
}

constexpr socklen_t name_length(std::size_t length) {
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
}

int reach_abstract_socket() {
  const UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!fd) return outcome(-1);
  const std::string name = "kgate-sandbox-probe-nobody";
  const sockaddr_un address = abstract_name(name);
  const int result = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), name_length(name.size()));
  return result != 0 && errno == ECONNREFUSED ? 0 : outcome(result);
}

int listen_on_abstract_socket() {
  const UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!fd) return outcome(-1);
  const std::string name = fmt::format("kgate-sandbox-probe-{}", ::getpid());
  const sockaddr_un address = abstract_name(name);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), name_length(name.size())) != 0) return outcome(-1);
  return outcome(::listen(fd.get(), 1));
}

// The judge is not stopped by it: whoever is not traced answers "no such process".
int debug(pid_t process) {
  errno = 0;
  ::ptrace(PTRACE_PEEKDATA, process, nullptr, nullptr);
  return errno == ESRCH ? 0 : errno;
}

int read_memory(pid_t process) {
  char here = 0;
  const iovec to{&here, 1}, from{reinterpret_cast<void*>(&outcome), 1};
  // The address means nothing over there: where it is not mapped, the way was open all the same.
  const auto got = ::process_vm_readv(process, &to, 1, &from, 1, 0);
  return got < 0 && errno == EFAULT ? 0 : outcome(got);
}

int count_instructions() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof(attributes);
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.exclude_kernel = 1;
  const UniqueFd fd(static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0)));
  return outcome(fd.get());
}

int map_executable() {
  void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return outcome(-1);
  ::munmap(page, 4096);
  return 0;
}

// As a library does it whose thread it is: through the thread's file in /proc.
int name_thread() {
  std::binary_semaphore done(0);
  std::thread thread([&] { done.acquire(); });
  const int error = ::pthread_setname_np(thread.native_handle(), "kgate-probe");
  done.release();
  thread.join();
  return error;
}

int make_memory_file() {
  const UniqueFd fd(::memfd_create("kgate-sandbox-probe", MFD_CLOEXEC));
  return outcome(fd.get());
}

int same_mode() {
  struct stat status {};
  if (::stat("/proc/self/exe", &status) != 0) return outcome(-1);
  return outcome(::chmod("/proc/self/exe", status.st_mode & 07777));
}

// In a process of its own where there can be one: it cannot be taken back.
int new_user_namespace() {
  const pid_t id = static_cast<pid_t>(::fork());
  if (id < 0) return outcome(::unshare(CLONE_NEWUSER));
  if (id == 0) ::_exit(::unshare(CLONE_NEWUSER) == 0 ? 0 : errno);
  int status = 0;
  ::waitpid(id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

struct Attempt {
  std::string what;
  std::function<int()> action;
  std::string needed = {};
};

std::string needed_if(bool needed, const char* why) {
  return needed ? why : "";
}

std::vector<Attempt> attempts(const Role& role, const ProbePlaces& places) {
  const pid_t judge = ::getppid();
  const std::string process = fmt::format("/proc/{}", judge);
  const bool driver = role.cuda() && !role.compiles, gcc = role.compiles && !role.cuda();
  const auto libraries = needed_if(role.compiles || driver, "the compiler's and the driver's libraries");
  std::vector<Attempt> all{
      {"read /etc/passwd", [] { return open_it("/etc/passwd", O_RDONLY); }},
      {"list /root", [] { return list_it("/root"); }},
      {"read the judge's environment (/proc)", [=] { return open_it(process + "/environ", O_RDONLY); }},
      {"read the judge's memory (/proc)", [=] { return open_it(process + "/mem", O_RDONLY); }},
      {"read the environment of process 1", [] { return open_it("/proc/1/environ", O_RDONLY); }},
      {"list processes (/proc)", [] { return list_it("/proc"); }},
      {"list /tmp", [] { return list_it("/tmp"); }},
      {"list /usr/lib", [] { return list_it("/usr/lib"); }, libraries},
      {"list /usr/include", [] { return list_it("/usr/include"); }, needed_if(gcc, "the compiler's headers")},
      {"read /proc/meminfo", [] { return open_it("/proc/meminfo", O_RDONLY); }, "how much memory there is"},
      {"open the GPU (/dev/nvidiactl)", [] { return open_it("/dev/nvidiactl", O_RDWR); },
       needed_if(driver, "kernels run on it")},
      {"write to /tmp", [] { return create_and_remove("/tmp"); }},
      {"write to /dev/shm", [] { return create_and_remove("/dev/shm"); }},
      {"change a file's mode (chmod)", same_mode},
      {"start a program (/bin/true)", [] { return start("/bin/true", ""); }},
      {"start a program that it wrote", [folder = role.folder.string()] { return start_own(folder); }},
      {"start a process (fork)", fork_once, needed_if(role.compiles, "the compiler starts assembler and linker")},
      {"name a thread (/proc/self/task)", name_thread, needed_if(driver, "cuInit fails without, with error 304")},
      {"read its own /proc/self/maps", [] { return open_it("/proc/self/maps", O_RDONLY); },
       needed_if(driver, "the driver looks for free addresses")},
      {"map memory that can be executed", map_executable, "kernels and drivers are loaded into it"},
      {"make a file in memory (memfd_create)", make_memory_file, "outputs travel in it"},
      {"connect by TCP", reach_tcp},
      {"make an UDP socket", reach_udp},
      {"connect to an abstract socket", reach_abstract_socket},
      {"listen on an abstract socket", listen_on_abstract_socket,
       needed_if(driver, "cuInit fails without; nothing can connect to it")},
      {"debug the judge (ptrace)", [=] { return debug(judge); }},
      {"read the judge's memory (process_vm_readv)", [=] { return read_memory(judge); }},
      {"signal the judge (kill)", [=] { return outcome(::kill(judge, 0)); }},
      {"change the judge's limits (prlimit)",
       [=] {
         rlimit old{};
         return outcome(::syscall(SYS_prlimit64, judge, RLIMIT_NOFILE, nullptr, &old));
       }},
      {"read keyrings (keyctl)", [] { return reached(::syscall(SYS_keyctl, 0 /* get id */, -3 /* session */, 0)); }},
      {"count events (perf_event_open)", count_instructions},
      {"load a BPF program", [] { return reached(::syscall(SYS_bpf, 0 /* create a map */, nullptr, 0)); }},
      {"use io_uring", [] { return reached(::syscall(425 /* io_uring_setup */, 0, nullptr)); }},
      {"enter a user namespace", new_user_namespace},
  };
  if (gcc) {
    all.push_back(
        {"start the compiler", [=] { return start(role.toolkit.host_compiler, "--version"); }, "it compiles"});
  }
  if (role.compiles) {
    all.push_back({"write to its private folder", [folder = role.folder.string()] { return create_and_remove(folder); },
                   "sources are staged and objects made there"});
  }
  if (!places.home.empty()) all.push_back({"list the home folder", [home = places.home] { return list_it(home); }});
  if (!places.repository.empty()) {
    all.push_back({"list the repository", [place = places.repository] { return list_it(place); }});
    all.push_back({"write to the repository", [place = places.repository] { return create_and_remove(place); }});
  }
  return all;
}

std::string text_field(const Json& body, const char* key) {
  const auto found = body.find(key);
  return found != body.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

ProbePlaces probe_places(const Json& request) {
  return {text_field(request, "home"), text_field(request, "repository")};
}

std::string use_device(const ServeOptions& options) {
  static constexpr std::string_view kKernel =
      ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry nothing() { ret; }\n";
  try {
    const auto backend = make_backend(options);
    backend->probe();
    backend->allocate({{{"x", BufferRole::output, DType::f32, 4096, false}}, 0});
    Bytes there(4096, std::byte{42}), back(4096);
    backend->write({0, kGuardBytes, there.size()}, there);
    backend->read({0, kGuardBytes, back.size()}, back);
    if (back != there) return "what was copied to the device came back changed";
    if (!options.role.cuda()) return {};
    LoadJob job;
    job.code = bytes_of(kKernel);
    job.code.push_back(std::byte{0});  // the driver reads PTX as a C string
    job.symbols = {{"nothing", "nothing"}};
    backend->load(job);
    Launch launch;
    launch.entry = "nothing";
    const RunOutcome outcome = backend->run({0, {launch}});
    return outcome.ok ? std::string() : outcome.fault;
  } catch (const Error& error) {
    return error.what();
  }
}

SandboxTrial try_everything(const ServeOptions& options, const ProbePlaces& places) {
  SandboxTrial trial;
  for (const Attempt& attempt : attempts(options.role, places)) {
    errno = 0;
    trial.probes.push_back({attempt.what, attempt.action(), attempt.needed});
  }
  for (const Limit& limit : options.limits) trial.limits.push_back(in_force(limit));
  if (!options.role.compiles) {
    trial.used_device = true;
    trial.trouble = use_device(options);
  }
  return trial;
}

std::string probe_table(const ServeOptions& options) {
  const SandboxReport& report = options.sandbox;
  const SandboxTrial trial = try_everything(options, {});
  std::string text = fmt::format("sandbox {}, Landlock ABI {}\n", name_of(report.level), report.landlock_abi);
  for (const std::string& line : {report.note, report.relaxed}) {
    if (!line.empty()) text += fmt::format("  {}\n", line);
  }
  for (const SandboxProbe& probe : trial.probes) {
    const std::string answer = probe.error == 0           ? "allowed"
                               : probe.error == kNotThere ? "not there"
                                                          : fmt::format("denied: {}", std::strerror(probe.error));
    text += fmt::format("  {:<44} {}{}\n", probe.what, answer,
                        probe.error == 0 && !probe.needed.empty() ? ": " + probe.needed : "");
  }
  if (trial.used_device) {
    text += fmt::format("  {:<44} {}\n", fmt::format("use the device ({})", options.role.backend),
                        trial.trouble.empty() ? "it works" : "failed: " + trial.trouble);
  }
  return text;
}

}  // namespace kgate::runner
