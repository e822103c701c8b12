#include "runner/host/machine.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include <sched.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace kgate::runner::host {
namespace {

// The value after "key:" in a file like /proc/cpuinfo, without the spaces around it.
std::optional<std::string> field(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return std::nullopt;
}

// "max" and missing files are nothing.
std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

}  // namespace

std::string cpu_name() {
  return field("/proc/cpuinfo", "model name").value_or(machine_architecture());
}

std::string machine_architecture() {
  utsname name{};
  return ::uname(&name) == 0 ? name.machine : "unknown";
}

std::uint32_t usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) == 0)
    return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(CPU_COUNT(&set)));
  return std::max<std::uint32_t>(1, std::thread::hardware_concurrency());
}

std::uint64_t last_level_cache_bytes() {
  // "32768K", the share that this core can fill. sysconf may add up all of a socket's (512 MiB on some), which no core
  // can.
  constexpr std::uint64_t most_by_sysconf = std::uint64_t{128} << 20;
  for (const char* level : {"4", "3"}) {
    const std::string path = std::string("/sys/devices/system/cpu/cpu0/cache/index") + level + "/size";
    if (const auto kib = number_in(path.c_str())) return *kib << 10;
  }
  for (const int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
    const long bytes = ::sysconf(level);
    if (bytes > 0) return std::min(static_cast<std::uint64_t>(bytes), most_by_sysconf);
  }
  return std::uint64_t{32} << 20;
}

std::uint64_t total_memory() {
  struct sysinfo info {};
  return ::sysinfo(&info) == 0 ? static_cast<std::uint64_t>(info.totalram) * info.mem_unit : 0;
}

}  // namespace kgate::runner::host
