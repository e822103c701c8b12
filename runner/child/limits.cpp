#include "runner/child/limits.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "runner/child/sanitized.h"

// Limits of the process (setrlimit), because they need no privilege and hold everywhere. Cgroups would count a whole
// tree, but a CI job can seldom make one; where the job itself is in one, its limits hold as well.
//
// Memory. A compiler gets a limit on its address space: it is what an endless template or a huge unrolled loop runs
// into, and it ends as "out of memory" in the compile log. A native kernel gets one on private writable memory
// (RLIMIT_DATA): the machine's, and for each CPU the stacks of a block of 1024 threads, which are hardly touched.
// CUDA's driver reserves more address space than any machine has memory, so a GPU child has neither: a kernel on a GPU
// cannot allocate the host's memory. Whoever takes too much all the same is first in line when the kernel looks for
// memory (volunteer_for_oom).
//
// Processes. What measures can start none at all (the seccomp filter); threads are counted for the whole user, so the
// limit lies over what the machine runs now. The kernel exempts root from it.
namespace kgate::runner {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostForCompiler = 8 * kGiB, kLeastForCompiler = 2 * kGiB;
constexpr std::uint64_t kFileOfCompiler = 2 * kGiB;
constexpr std::uint64_t kStacksOfCpu = kGiB;
constexpr std::uint64_t kOpenFiles = 1024, kOpenFilesOfDriver = 4096;
constexpr std::uint64_t kMoreThreads = 4096;

std::uint64_t memory_of_machine() {
  struct sysinfo info {};
  std::uint64_t bytes = ::sysinfo(&info) == 0 ? std::uint64_t{info.totalram} * info.mem_unit : 16 * kGiB;
  std::ifstream group("/sys/fs/cgroup/memory.max");
  if (std::uint64_t limit = 0; group >> limit) bytes = std::min(bytes, limit);
  return bytes;
}

// The fourth field of "0.71 0.42 0.30 2/518 4711": what runs, and what there is.
std::uint64_t threads_of_machine() {
  std::ifstream file("/proc/loadavg");
  std::string skipped;
  std::uint64_t running = 0, all = 0;
  char slash = 0;
  file >> skipped >> skipped >> skipped >> running >> slash >> all;
  return file ? all : 0;
}

// glibc's own type of the parameter is an enum in C++ with _GNU_SOURCE.
__rlimit_resource_t number_of(const Limit& limit) {
  return static_cast<__rlimit_resource_t>(limit.resource);
}

}  // namespace

std::vector<Limit> limits_for(const Role& role) {
  const std::uint64_t memory = memory_of_machine();
  const std::uint64_t threads = threads_of_machine() + kMoreThreads;
  const std::uint64_t files = role.cuda() && !role.compiles ? kOpenFilesOfDriver : kOpenFiles;
  std::vector<Limit> limits{
      {RLIMIT_CORE, 0, "core files"},
      {RLIMIT_NOFILE, files, "open files"},
      {RLIMIT_NPROC, threads, "processes and threads of the user (not of root)"},
      {RLIMIT_MSGQUEUE, 0, "message queues"},
  };
  if (role.compiles) {
    limits.push_back({RLIMIT_FSIZE, kFileOfCompiler, "a file", true});
    const std::uint64_t most = std::clamp(memory / 2, kLeastForCompiler, kMostForCompiler);
    if (kSanitizer == nullptr) limits.push_back({RLIMIT_AS, most, "address space of a process", true});
  } else if (!role.cuda() && kSanitizer == nullptr) {
    const std::uint64_t most = memory + kStacksOfCpu * std::max(1u, std::thread::hardware_concurrency());
    limits.push_back({RLIMIT_DATA, most, "private memory", true});
  }
  return limits;
}

std::string in_force(const Limit& limit) {
  rlimit now{};
  if (::getrlimit(number_of(limit), &now) != 0) return fmt::format("{}: unknown", limit.name);
  if (now.rlim_cur == RLIM_INFINITY) return fmt::format("{}: no limit", limit.name);
  if (!limit.bytes) return fmt::format("{}: {}", limit.name, now.rlim_cur);
  return fmt::format("{}: {:.1f} GiB", limit.name, static_cast<double>(now.rlim_cur) / static_cast<double>(kGiB));
}

std::string apply_limits(const std::vector<Limit>& limits) {
  for (const Limit& limit : limits) {
    rlimit now{};
    if (::getrlimit(number_of(limit), &now) != 0)
      return fmt::format("the limit on {} cannot be read: {}", limit.name, std::strerror(errno));
    const rlim_t value = std::min<rlim_t>(limit.value, now.rlim_max);
    const rlimit lowered{std::min(value, now.rlim_cur), value};
    if (::setrlimit(number_of(limit), &lowered) != 0)
      return fmt::format("the limit on {} cannot be set: {}", limit.name, std::strerror(errno));
  }
  return {};
}

}  // namespace kgate::runner
