#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/unique_fd.h"

// Landlock, the kernel's access rules that a process can put on itself, without a privilege: whatever is not listed
// cannot be opened any more, by the process or by what it starts, root or not.
namespace kgate::runner::landlock {

enum Access : unsigned {
  kRead = 1,      // files and lists of folders
  kWrite = 2,     // to what is there, truncating included
  kExecute = 4,   // as a program
  kCreate = 8,    // files and folders, and remove them
  kControl = 16,  // a device's own requests (ioctl)
};

// What is beneath `path`, or the file itself.
struct PathRule {
  std::string path;
  unsigned access = 0;
  std::string why;
};

struct Restriction {
  std::uint32_t abi = 0;         // in force; 0: nothing is, and `why_not` says why
  std::string why_not;           // of the kernel or the container
  std::vector<UniqueFd> pinned;  // keeps the rules of /proc in force, whose entries the kernel would forget otherwise
};

// Puts the rules on the calling thread and all that it starts; paths that are not there are left out. Beside the files
// they forbid TCP (ABI 4), and abstract sockets and signals of processes that are not under them (ABI 6). Needs
// no_new_privs.
Restriction restrict_self(const std::vector<PathRule>& rules);

}  // namespace kgate::runner::landlock
