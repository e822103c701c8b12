#pragma once

#include <filesystem>
#include <set>
#include <string>

// Which kgate is tried, and where: what stands on the command line, else the build's own and a folder for the run.
struct Setting {
  std::filesystem::path kgate;
  std::filesystem::path work;  // kept afterwards; empty: a temporary folder
  std::set<std::string> only;  // cheats by name; empty: all
};
Setting& setting();
