#include <cerrno>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "tests/sandbox/sandbox_fixture.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"

// Kernels of the host backend are native code in the measuring child: the adversary at its strongest. Each attack
// leaves in y[0] what came of it, 0 or an errno.
using namespace kgate;
using namespace kgate::runner;

namespace {

constexpr const char* kSystem = R"(
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
)";

// `code` is an expression below 0 where it fails.
std::string attack(const std::string& code, const std::string& before = {}) {
  return fmt::format(
      "{}{}\n__global__ void k(int* y) {{ errno = 0; y[0] = (long)({}) < 0 ? errno : 0; y[1] = 4711; }}\n", kSystem,
      before, code);
}

struct Outcome {
  int error = -1;
  std::string fault;
};
Outcome of(const std::string& source, SandboxLevel most = SandboxLevel::landlock) {
  const Ran ran = run_kernel(source, most);
  if (ran.y.empty()) return {-1, ran.fault};
  return {ran.y[1] == 4711 ? ran.y[0] : -1, ran.fault};
}

std::string opening(const std::string& path, const char* flags = "O_RDONLY") {
  return attack(fmt::format("open(\"{}\", {}, 0600)", path, flags));
}

}  // namespace

TEST_CASE("an honest kernel is right and knows nothing of the sandbox") {
  if (compiler_path().empty()) KGATE_SKIP("no C++ compiler");
  const Ran ran =
      run_kernel("#include <math.h>\n__global__ void k(int* y) { y[threadIdx.x] = (int)sqrtf(9.0f) + 4; }\n");
  CHECK(ran.fault.empty());
  REQUIRE(ran.y.size() == 16);
  CHECK(ran.y[0] == 7);
}

TEST_CASE("a kernel cannot read files: not a secret, not the system's, not through links, descriptors or /proc") {
  if (best_level() != SandboxLevel::landlock) KGATE_SKIP("this kernel has no Landlock");
  const Secret secret;
  REQUIRE(of(opening(secret.path()), SandboxLevel::none).error == 0);
  CHECK(of(opening(secret.path())).error == EACCES);
  CHECK(of(opening("/etc/passwd")).error == EACCES);
  CHECK(of(opening("/proc/self/root" + secret.path())).error == EACCES);
  CHECK(of(opening("/proc/self/cwd/CMakeLists.txt")).error != 0);
  const auto link = std::filesystem::path(secret.folder()) / "link";
  std::filesystem::create_symlink(secret.path(), link);
  CHECK(of(opening(link.string())).error == EACCES);
  CHECK(of(opening(secret.folder(), "O_RDONLY | O_DIRECTORY")).error == EACCES);
  // A path that is only a name gives no content: what is opened through it is checked again.
  CHECK(of(attack("openat(open(FOLDER, O_PATH | O_DIRECTORY), \"id_secret\", O_RDONLY)",
                  fmt::format("#define FOLDER \"{}\"\n", secret.folder())))
            .error == EACCES);
}

TEST_CASE("a kernel cannot read another process's memory or environment") {
  if (best_level() != SandboxLevel::landlock) KGATE_SKIP("this kernel has no Landlock");
  const std::string judge = fmt::format("/proc/{}", ::getpid());
  REQUIRE(of(opening(judge + "/environ"), SandboxLevel::none).error == 0);
  CHECK(of(opening(judge + "/environ")).error == EACCES);
  CHECK(of(opening(judge + "/mem")).error == EACCES);
  CHECK(of(opening("/proc/1/environ")).error == EACCES);
}

TEST_CASE("a kernel cannot write anywhere, with or without Landlock") {
  const Secret secret;
  for (const SandboxLevel level : {SandboxLevel::seccomp, SandboxLevel::landlock}) {
    CHECK(of(opening(secret.path(), "O_WRONLY"), level).error == EPERM);
    CHECK(of(opening(secret.path(), "O_RDWR"), level).error == EPERM);
    CHECK(of(opening(secret.path(), "O_RDONLY | O_TRUNC"), level).error == EPERM);
    CHECK(of(opening(secret.folder() + "/new", "O_CREAT | O_WRONLY"), level).error == EPERM);
    CHECK(of(opening("/dev/shm/kgate-new", "O_CREAT | O_RDWR"), level).error == EPERM);
    for (const char* const call : {"truncate(PATH, 0)", "unlink(PATH)", "chmod(PATH, 0777)", "rename(PATH, PATH)",
                                   "link(PATH, PATH \"2\")", "symlink(PATH, PATH \"2\")", "mkdir(PATH \"3\", 0700)",
                                   "syscall(SYS_creat, PATH, 0600)", "utimensat(AT_FDCWD, PATH, 0, 0)"}) {
      INFO(call);
      CHECK(of(attack(call, fmt::format("#define PATH \"{}\"\n", secret.path())), level).error == EPERM);
    }
  }
  CHECK(text_of(read_file(secret.path(), 100)) == secret.content() + "\n");
  CHECK(std::distance(std::filesystem::directory_iterator(secret.folder()), std::filesystem::directory_iterator()) ==
        1);
}

TEST_CASE("a kernel cannot start a process or a program") {
  if (relaxed()) KGATE_SKIP("a sanitizer's leak check is a process");
  CHECK(of(attack("fork()")).error == EPERM);
  CHECK(of(attack("vfork()")).error == EPERM);
  CHECK(of(attack("syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)")).error == EPERM);
  CHECK(of(attack("syscall(SYS_clone3, 0, 0)")).error == ENOSYS);
  CHECK(of(attack("execl(\"/bin/true\", \"true\", (char*)0)")).error == EPERM);
  // A million times is as good as once.
  CHECK(of(attack("bombs()", "static int bombs() { for (int i = 0; i < 1000000; ++i) fork(); return fork(); }\n"))
            .error == EPERM);
}

TEST_CASE("a kernel cannot reach the network or another process's socket") {
  for (const char* const family : {"AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET", "AF_ALG", "40"}) {
    INFO(family);
    CHECK(of(attack(fmt::format("socket({}, SOCK_STREAM, 0)", family))).error == EPERM);
  }
  CHECK(of(attack("socketpair(AF_UNIX, SOCK_STREAM, 0, pair)", "static int pair[2];\n")).error == EPERM);
  // Nor by the upper half of a register, which the kernel does not look at.
  CHECK(of(attack("syscall(SYS_socket, 0x700000002l, 1, 0)")).error == EPERM);
}

TEST_CASE("a kernel cannot touch the judge: no signal, no limit, no debugger, no leaving its group") {
  if (relaxed()) KGATE_SKIP("a sanitizer's leak check traces");
  for (const char* const call :
       {"kill(getppid(), 0)", "kill(-1, 0)", "kill(0, 0)", "syscall(SYS_tgkill, getppid(), getppid(), 0)",
        "syscall(SYS_tkill, getppid(), 0)", "syscall(SYS_pidfd_open, getppid(), 0)",
        "syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, 0, 0)", "syscall(SYS_ptrace, 16, getppid(), 0, 0)",
        "syscall(SYS_process_vm_writev, getppid(), 0, 0, 0, 0, 0)", "syscall(SYS_sched_setaffinity, getppid(), 0, 0)",
        "setpriority(PRIO_PROCESS, getppid(), 19)", "setsid()", "setpgid(0, 0)",
        "syscall(SYS_prctl, 1 /* PR_SET_PDEATHSIG */, 0, 0, 0, 0)", "syscall(SYS_prctl, 0x100000001l, 0, 0, 0, 0)",
        "syscall(SYS_prctl, 4 /* PR_SET_DUMPABLE */, 1, 0, 0, 0)"}) {
    INFO(call);
    CHECK(of(attack(call)).error == EPERM);
  }
  CHECK(of(attack("kill(getpid(), 0)")).error == 0);
}

TEST_CASE("a kernel cannot use the kernel's riskier parts, or type on a terminal") {
  for (const char* const call :
       {"syscall(SYS_bpf, 0, 0, 0)", "syscall(SYS_io_uring_setup, 1, 0)", "syscall(SYS_perf_event_open, 0, 0, 0, 0, 0)",
        "syscall(SYS_userfaultfd, 0)", "syscall(SYS_keyctl, 0, 0, 0, 0, 0)", "syscall(SYS_unshare, 0x10000000)",
        "syscall(SYS_setns, 0, 0)", "syscall(SYS_mount, 0, 0, 0, 0, 0)", "syscall(SYS_shmget, 0, 4096, 0600)",
        "syscall(SYS_personality, 0x0040000)", "syscall(SYS_ioctl, 0, 0x5412, 0)",
        "syscall(SYS_ioctl, 0, 0x100005412l, 0)", "syscall(SYS_inotify_init1, 0)", "syscall(SYS_chroot, \"/\")"}) {
    INFO(call);
    CHECK(of(attack(call)).error == EPERM);
  }
}

TEST_CASE("a call that nobody honest makes ends the kernel's process, which is told as a crash") {
  for (const char* const call :
       {"syscall(SYS_kexec_load, 0, 0, 0, 0)", "syscall(SYS_init_module, 0, 0, 0)", "syscall(SYS_reboot, 0, 0, 0, 0)",
        "syscall(SYS_open_by_handle_at, 0, 0, 0)", "syscall(0x40000000 + SYS_getpid) /* x32 */"}) {
    INFO(call);
    CHECK(of(attack(call)).fault == "the kernel crashed (SIGSYS)");
  }
}

TEST_CASE("a kernel has no capability, cannot get one back, and leaves no core file") {
  if (relaxed()) KGATE_SKIP("a sanitizer's process can be dumped");
  CHECK(of(attack("syscall(SYS_prctl, 39 /* PR_GET_NO_NEW_PRIVS */, 0, 0, 0, 0) == 1 ? 0 : -1")).error == 0);
  CHECK(
      of(attack("capabilities() == 0 ? 0 : -1",
                "static unsigned capabilities() { unsigned header[2] = {0x20080522, 0}, data[6] = {1, 1, 1, 1, 1, 1};\n"
                "  return syscall(SYS_capget, header, data) == 0 ? data[0] | data[1] | data[2] | data[3] | data[4] | "
                "data[5] : 1; }\n"))
          .error == 0);
  CHECK(of(attack("syscall(SYS_prctl, 3 /* PR_GET_DUMPABLE */, 0, 0, 0, 0) == 0 ? 0 : -1")).error == 0);
  CHECK(of(attack("core() == 0 ? 0 : -1",
                  "static long core() { rlimit r; getrlimit(RLIMIT_CORE, &r); return r.rlim_max; }\n"))
            .error == 0);
}

TEST_CASE("a kernel finds no environment but the search path, and no descriptors but its line to the judge") {
  const Ran ran = run_kernel(std::string(kSystem) + R"(
extern "C" char** environ;
__global__ void k(int* y) {
  int variables = 0, descriptors = 0;
  for (char** one = environ; *one; ++one) ++variables;
  for (int fd = 0; fd < 1024; ++fd) descriptors += fcntl(fd, F_GETFD) != -1 && (fcntl(fd, F_GETFL) & O_PATH) == 0;
  y[0] = variables;
  y[1] = descriptors;
}
)");
  CHECK(ran.fault.empty());
  REQUIRE(ran.y.size() == 16);
  CHECK(ran.y[0] == 3);  // PATH, LC_ALL, CUDA_CACHE_DISABLE
  CHECK(ran.y[1] == 5);  // 0-2 are /dev/null, 3 is the judge, and its own code
}
