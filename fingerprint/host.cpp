#include "fingerprint/host.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace kgate::fingerprint {
namespace {

namespace fs = std::filesystem;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\"'");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\"'") - first + 1);
}

// The value of the first line "KEY<separator>VALUE" of a small text file.
std::optional<std::string> value_in(const fs::path& file, const std::string& key, char separator) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t at = line.find(separator);
    if (at != std::string::npos && trimmed(line.substr(0, at)) == key) return trimmed(line.substr(at + 1));
  }
  return std::nullopt;
}

std::string processor(const fs::path& root) {
  const fs::path file = root / "proc/cpuinfo";
  // x86 says "model name"; Arm says nothing but numbers in most kernels.
  for (const char* key : {"model name", "Model", "cpu model", "Hardware"}) {
    if (const auto value = value_in(file, key, ':'); value && !value->empty()) return *value;
  }
  const auto implementer = value_in(file, "CPU implementer", ':'), part = value_in(file, "CPU part", ':');
  if (implementer && part) return fmt::format("implementer {}, part {}", *implementer, *part);
  return "unknown, because /proc/cpuinfo does not name it";
}

// The cores that this process may use: a container or taskset may leave fewer than the machine has.
unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<unsigned>(online) : 1;
}

Json memory_bytes(const fs::path& root) {
  const auto text = value_in(root / "proc/meminfo", "MemTotal", ':');
  if (!text) return "unknown, because /proc/meminfo does not say it";
  try {
    return std::stoull(*text) * 1024;
  } catch (const std::exception&) {
    return "unknown, because /proc/meminfo is not readable";
  }
}

// A hint, not a proof: what the common engines leave behind.
std::string container(const fs::path& root) {
  std::error_code ignored;
  if (fs::exists(root / ".dockerenv", ignored)) return "docker";
  if (fs::exists(root / "run/.containerenv", ignored)) return "podman";
  std::ifstream groups(root / "proc/1/cgroup");
  constexpr std::array<std::pair<const char*, const char*>, 5> kMarks{{{"kubepods", "kubernetes"},
                                                                       {"docker", "docker"},
                                                                       {"containerd", "containerd"},
                                                                       {"lxc", "lxc"},
                                                                       {"libpod", "podman"}}};
  for (std::string line; std::getline(groups, line);) {
    for (const auto& [mark, name] : kMarks) {
      if (line.find(mark) != std::string::npos) return name;
    }
  }
  return "none seen";
}

std::string virtual_machine(const fs::path& root) {
  const auto flags = value_in(root / "proc/cpuinfo", "flags", ':');
  if (!flags) return "unknown, because /proc/cpuinfo does not say it";
  return (" " + *flags + " ").find(" hypervisor ") != std::string::npos ? "yes" : "no";
}

}  // namespace

Json describe_host(const std::string& root) {
  const fs::path top(root);
  Json host = Json::object();
  host["processor"] = processor(top);
  host["cores"] = usable_cores();
  host["memory_bytes"] = memory_bytes(top);
  utsname names{};
  if (::uname(&names) == 0) {
    host["kernel"] = fmt::format("{} {}", names.sysname, names.release);
    host["machine"] = names.machine;
  } else {
    host["kernel"] = "unknown, because uname failed";
    host["machine"] = "unknown, because uname failed";
  }
  host["os"] = value_in(top / "etc/os-release", "PRETTY_NAME", '=')
                   .value_or("unknown, because /etc/os-release does not name it");
  host["container"] = container(top);
  host["virtual_machine"] = virtual_machine(top);
  return host;
}

}  // namespace kgate::fingerprint
