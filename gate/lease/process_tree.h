#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include <sys/types.h>

namespace kgate::lease {

struct ProcessFacts {
  pid_t parent = 0;
  std::string name;  // of the program, 15 characters at most
  uid_t user = 0;
};

// The processes that can be seen here, as /proc has them now.
using ProcessTree = std::map<pid_t, ProcessFacts>;
ProcessTree read_process_tree(const std::filesystem::path& proc = "/proc");

// Whether `process` is `ancestor` or was started by it, however indirectly.
bool descends_from(const ProcessTree& tree, pid_t process, pid_t ancestor);

}  // namespace kgate::lease
