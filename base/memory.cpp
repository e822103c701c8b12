#include "base/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace kgate {
namespace {

// "max" and missing files are nothing.
std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

std::optional<std::uint64_t> left_on_machine() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kib = 0;
  while (file >> name >> kib) {
    if (name == "MemAvailable:") return kib * 1024;
    std::getline(file, unit);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> left_in_cgroup() {
  const auto limit = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (!limit || !used) return std::nullopt;
  return *limit > *used ? *limit - *used : 0;
}

}  // namespace

std::uint64_t available_memory() {
  constexpr auto kAny = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t left = std::min(left_on_machine().value_or(kAny), left_in_cgroup().value_or(kAny));
  return left == kAny ? 0 : left;
}

}  // namespace kgate
