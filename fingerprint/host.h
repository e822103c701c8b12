#pragma once

#include <string>

#include "base/json.h"

namespace kgate::fingerprint {

// The axis "host": processor and its governor, cores, memory, kernel, distribution, container, hypervisor. `root` is
// "/" but in tests.
Json describe_host(const std::string& root);

// The NUMA node of a PCI device ("0000:3b:00.0"), as sysfs tells it: a number, or "unknown, because ...".
Json pci_numa_node(const std::string& root, const std::string& address);

}  // namespace kgate::fingerprint
