#pragma once

#include <cstdint>
#include <string>

// This machine, as the host backend's device.
namespace kgate::runner::host {

std::string cpu_name();  // "AMD EPYC 9554 64-Core Processor"; the architecture where the kernel does not say
std::string machine_architecture();  // uname's: "x86_64"
// CPUs that this process may use (its affinity, not the machine's count).
std::uint32_t usable_cpus();
// Of one core's; 32 MiB where the system does not say.
std::uint64_t last_level_cache_bytes();
std::uint64_t total_memory();

}  // namespace kgate::runner::host
