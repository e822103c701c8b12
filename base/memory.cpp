#include "base/memory.h"

#include <fstream>
#include <string>

namespace kgate {

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kib = 0;
  while (file >> name >> kib) {
    if (name == "MemAvailable:") return kib * 1024;
    std::getline(file, unit);
  }
  return 0;
}

}  // namespace kgate
