#include <fmt/format.h>

#include "tests/adversarial/cheat.h"

// On the host a kernel is native code. Each of these is right only where what it tried was refused, so a pass says that
// it was; none of them does harm where it was not.

namespace {

Cheat native(const std::string& name, const std::string& tries, const std::string& includes, const std::string& attempt,
             bool landlock = false) {
  return {.name = name,
          .tries = "before it is asked for anything, " + tries,
          .place = Place::host,
          .expected = passes(),
          .caught_by = landlock ? "the sandbox: nothing can be opened" : "the sandbox: a filter of system calls",
          .task = &untimed_blend(),
          .source = fmt::format(R"({}#include "blend.cuh"
static bool went;
__attribute__((constructor)) static void attack() {{ went = {}; }}
__global__ void blend(float* y, const float* x, int n, int rounds) {{
  int i = ELEMENT;
  if (i < n) y[i] = went ? -1.0f : answer(x[i], rounds);
}}
)",
                                includes, attempt),
          .landlock = landlock};
}

}  // namespace

std::vector<Cheat> cheats_on_the_machine() {
  return {
      native("opens_a_secret", "reads a file of the runner's", "#include <fcntl.h>\n",
             "open(\"{secret}\", O_RDONLY) >= 0", true),
      native("reads_the_judge", "reads the memory of kgate, where expected answers are",
             "#include <errno.h>\n#include <sys/uio.h>\n#include <unistd.h>\n",
             "[] { char byte; iovec mine{&byte, 1}, theirs{reinterpret_cast<void*>(4096), 1}; return "
             "process_vm_readv(getppid(), &mine, 1, &theirs, 1, 0) == 1 || errno != EPERM; }()"),
      native("debugs_the_judge", "attaches to kgate as a debugger", "#include <sys/ptrace.h>\n#include <unistd.h>\n",
             "ptrace(PTRACE_SEIZE, getppid(), nullptr, nullptr) == 0"),
      native("signals_the_judge", "sees whether it could end kgate", "#include <signal.h>\n#include <unistd.h>\n",
             "kill(getppid(), 0) == 0"),
      native("leaves_a_file", "writes a file", "#include <fcntl.h>\n",
             "open(\"{trace}\", O_WRONLY | O_CREAT, 0600) >= 0"),
      native("calls_home", "makes a socket of the network", "#include <sys/socket.h>\n",
             "socket(AF_INET, SOCK_STREAM, 0) >= 0"),
      native("calls_a_neighbour", "makes a local socket", "#include <sys/socket.h>\n",
             "socket(AF_UNIX, SOCK_STREAM, 0) >= 0"),
      native("has_children", "starts a process", "#include <unistd.h>\n",
             "[] { pid_t child = fork(); if (child == 0) _exit(0); return child > 0; }()"),
      native("starts_a_program", "starts a program in a process that shares its memory", "#include <spawn.h>\n",
             "[] { pid_t child; char name[] = \"/bin/true\"; char* arguments[] = {name, nullptr}; return "
             "posix_spawn(&child, name, nullptr, nullptr, arguments, nullptr) == 0; }()"),
      {.name = "crashes_when_loaded",
       .tries = "crashes in a constructor, before anything is launched",
       .place = Place::host,
       .expected = wrong(),
       .caught_by = "loading ends its own process, and is the kernel's fault",
       .task = &lone_blend(),
       .source = R"(#include "blend.cuh"
__attribute__((constructor)) static void attack() { __builtin_trap(); }
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
}
)"},
      {.name = "leaves_when_launched",
       .tries = "ends its process with code 0",
       .place = Place::host,
       .expected = wrong(),
       .words = "ended by itself with code 0",
       .caught_by = "no answer is none",
       .task = &lone_blend(),
       .source = R"(#include "blend.cuh"
#include <unistd.h>
__global__ void blend(float* y, const float* x, int n, int rounds) { _exit(0); }
)"},
  };
}
