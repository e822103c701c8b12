// kgate-runner on a kernel that has no Landlock: its first system call fails with the number that this program's own
// name is.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <seccomp.h>
#include <unistd.h>

int main(int, char** argv) {
  const char* const slash = std::strrchr(argv[0], '/');
  const int error = std::atoi(slash != nullptr ? slash + 1 : argv[0]);
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  constexpr int kCreateRuleset = 444;
  if (error <= 0 || filter == nullptr ||
      seccomp_rule_add(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(error)), kCreateRuleset, 0) != 0 ||
      seccomp_load(filter) != 0)
    return 99;
  seccomp_release(filter);
  execv(KGATE_RUNNER, argv);
  return 98;
}
