#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kgate::sanitize {

// One thing that a tool of compute-sanitizer's found, however many threads did it.
struct Finding {
  std::string tool;      // "memcheck"
  std::string kind;      // "invalid_read", "invalid_write", "invalid_atomic", "uninitialized_read", "race",
                         // "barrier_error", "allocation_error", "other"
  std::string severity;  // "error"; "warning": it may be meant, and blocks nothing
  std::string kernel, case_name;
  std::string file;       // from the repository's root where it is one of the kernel's; empty: not known
  std::int64_t line = 0;  // 0: not known
  std::string what;       // the tool's words, in one line
  std::int64_t count = 1;
};

// What a run with --sanitize says of it.
struct Summary {
  bool available = false;
  std::string version;             // "2025.3.1.0"; empty: not known
  std::string sandbox;             // of its children: "none", "seccomp"
  std::vector<std::string> tools;  // that were run
  std::vector<Finding> findings;
};

}  // namespace kgate::sanitize
