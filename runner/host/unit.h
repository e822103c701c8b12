#pragma once

#include <string>
#include <vector>

#include "runner/job.h"

// The translation unit and the command line that compile it: pure functions of the job.
namespace kgate::runner::host {

inline constexpr const char* kUnitName =
    "kgate_unit.cpp";  // in the private folder's root, so that messages carry repository paths
inline constexpr const char* kHeaderFolder = ".kgate-host";  // kgate's own headers, in the same folder
inline constexpr const char* kObjectName = ".kgate-kernel.so";

// "kgate_entry_3", the symbol of entry 3.
std::string entry_symbol(std::size_t index);
// The name that the compiler's messages about entry 3 carry in place of a file: "kgate-entry-3".
std::string entry_file(std::size_t index);

// Includes kgate's header and the sources, then exports one descriptor an entry.
std::string unit_text(const CompileJob& job);

struct CommandLine {
  std::vector<std::string> command;
  std::vector<std::string> notes;  // options that mean nothing here
};
// Run in the private folder's root.
CommandLine command_line(const CompileJob& job);

}  // namespace kgate::runner::host
