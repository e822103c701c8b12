#include "fingerprint/host.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <utility>
#include <vector>

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

std::string first_line(const fs::path& file) {
  std::string line;
  std::ifstream stream(file);
  std::getline(stream, line);
  return trimmed(line);
}

// "performance", or "performance on 60 core(s), powersave on 4 core(s)".
std::string governor(const fs::path& root) {
  std::map<std::string, int> counts;
  std::error_code ignored;
  for (fs::directory_iterator entry(root / "sys/devices/system/cpu", ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string value = first_line(entry->path() / "cpufreq/scaling_governor");
    if (!value.empty()) ++counts[value];
  }
  if (counts.empty()) return "unknown, because /sys/devices/system/cpu tells no cpufreq governor";
  if (counts.size() == 1) return counts.begin()->first;
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} on {} core(s)", name, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// What the machine's firmware says it is: "QEMU Standard PC", "Amazon EC2 p5.48xlarge".
std::string hypervisor(const fs::path& root, const std::string& is_virtual) {
  if (is_virtual == "no") return "none";
  if (is_virtual != "yes") return is_virtual;
  if (const std::string type = first_line(root / "sys/hypervisor/type"); !type.empty()) return type;
  const std::string vendor = first_line(root / "sys/class/dmi/id/sys_vendor"),
                    product = first_line(root / "sys/class/dmi/id/product_name");
  if (vendor.empty() && product.empty()) return "unknown, because neither /sys/hypervisor nor /sys/class/dmi names it";
  return trimmed(vendor + " " + product);
}

}  // namespace

Json pci_numa_node(const std::string& root, const std::string& address) {
  const std::string file = "/sys/bus/pci/devices/" + address + "/numa_node";
  const std::string text = first_line(fs::path(root) / file.substr(1));
  if (text.empty()) return "unknown, because " + file + " is not there";
  // The kernel's "-1": the firmware did not say.
  if (text == "-1") return "unknown, because the firmware does not tell it";
  return text.size() < 6 && text.find_first_not_of("0123456789") == std::string::npos
             ? Json(std::stoi(text))
             : Json("unknown, because " + file + " holds no number");
}

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
  const std::string is_virtual = virtual_machine(top);
  host["virtual_machine"] = is_virtual;
  host["hypervisor"] = hypervisor(top, is_virtual);
  host["governor"] = governor(top);
  const std::string nodes = first_line(top / "sys/devices/system/node/online");
  host["numa_nodes"] = nodes.empty() ? "unknown, because /sys/devices/system/node is not there" : nodes;
  return host;
}

}  // namespace kgate::fingerprint
