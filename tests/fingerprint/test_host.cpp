#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "fingerprint/host.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

void put(const TemporaryFolder& root, const std::string& path, const std::string& text) {
  std::filesystem::create_directories((root.path() / path).parent_path());
  std::ofstream(root.path() / path) << text;
}

}  // namespace

TEST_CASE("the host is described from what the system says about itself") {
  const TemporaryFolder root("kgate-test-");
  put(root, "proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast CPU 3000 @ 2.0GHz\nflags\t\t: fpu hypervisor sse\n\n");
  put(root, "proc/meminfo", "MemTotal:       24689500 kB\nMemFree: 1 kB\n");
  put(root, "etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  put(root, "proc/1/cgroup", "0::/kubepods/pod1\n");
  const Json host = fingerprint::describe_host(root.path().string());
  CHECK(host["processor"] == "Fast CPU 3000 @ 2.0GHz");
  CHECK(host["memory_bytes"] == 24689500ull * 1024);
  CHECK(host["os"] == "Debian GNU/Linux 12 (bookworm)");
  CHECK(host["container"] == "kubernetes");
  CHECK(host["virtual_machine"] == "yes");
  CHECK(host["cores"].get<unsigned>() >= 1);
  CHECK(host["kernel"].get<std::string>().rfind("Linux ", 0) == 0);
}

TEST_CASE("governor, NUMA nodes and hypervisor are those that sysfs tells") {
  const TemporaryFolder root("kgate-test-");
  put(root, "proc/cpuinfo", "model name\t: Fast CPU\nflags\t\t: fpu hypervisor\n");
  put(root, "sys/class/dmi/id/sys_vendor", "QEMU\n");
  put(root, "sys/class/dmi/id/product_name", "Standard PC\n");
  put(root, "sys/devices/system/node/online", "0-1\n");
  put(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  put(root, "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  Json host = fingerprint::describe_host(root.path().string());
  CHECK(host["hypervisor"] == "QEMU Standard PC");
  CHECK(host["numa_nodes"] == "0-1");
  CHECK(host["governor"] == "performance");
  put(root, "sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "powersave\n");
  put(root, "proc/cpuinfo", "flags\t\t: fpu\n");
  host = fingerprint::describe_host(root.path().string());
  CHECK(host["governor"] == "performance on 2 core(s), powersave on 1 core(s)");
  CHECK(host["hypervisor"] == "none");
}

TEST_CASE("the NUMA node of a PCI device is a number, or unknown with the reason") {
  const TemporaryFolder root("kgate-test-");
  const auto node = [&] { return fingerprint::pci_numa_node(root.path().string(), "0000:3b:00.0"); };
  CHECK(node() == "unknown, because /sys/bus/pci/devices/0000:3b:00.0/numa_node is not there");
  put(root, "sys/bus/pci/devices/0000:3b:00.0/numa_node", "1\n");
  CHECK(node() == 1);
  put(root, "sys/bus/pci/devices/0000:3b:00.0/numa_node", "-1\n");
  CHECK(node() == "unknown, because the firmware does not tell it");
}

TEST_CASE("what the host does not say is unknown, with the reason") {
  const TemporaryFolder root("kgate-test-");
  const Json host = fingerprint::describe_host(root.path().string());
  CHECK(host["processor"] == "unknown, because /proc/cpuinfo does not name it");
  CHECK(host["memory_bytes"] == "unknown, because /proc/meminfo does not say it");
  CHECK(host["os"] == "unknown, because /etc/os-release does not name it");
  CHECK(host["container"] == "none seen");
  CHECK(host["hypervisor"] == "unknown, because /proc/cpuinfo does not say it");
  CHECK(host["governor"] == "unknown, because /sys/devices/system/cpu tells no cpufreq governor");
  CHECK(host["numa_nodes"] == "unknown, because /sys/devices/system/node is not there");
  put(root, ".dockerenv", "");
  CHECK(fingerprint::describe_host(root.path().string())["container"] == "docker");
}
