#pragma once

#include <string>
#include <vector>

namespace kgate::runner::cuda {

// NVRTC's log for a person: files named as in the repository, the compiler's own summary lines left out, and what it
// says about its internal list of name expressions said about the entries of kernel.toml. At most 64 KiB.
struct CleanLog {
  std::string text;
  int warnings = 0;
};
CleanLog clean_log(const std::string& log, const std::string& stage_root, const std::vector<std::string>& entries);

}  // namespace kgate::runner::cuda
