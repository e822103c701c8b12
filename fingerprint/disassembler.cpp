#include "fingerprint/disassembler.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <unistd.h>

namespace kgate::fingerprint {

std::string find_disassembler(const std::string& search_path, const std::string& toolkit) {
  namespace fs = std::filesystem;
  std::vector<fs::path> folders;
  if (!toolkit.empty()) folders.push_back(fs::path(toolkit) / "bin");
  for (std::size_t at = 0; at <= search_path.size();) {
    const std::size_t end = std::min(search_path.find(':', at), search_path.size());
    folders.emplace_back(search_path.substr(at, end - at));
    at = end + 1;
  }
  folders.insert(folders.end(), {"/usr/local/cuda/bin", "/opt/cuda/bin"});
  for (const fs::path& folder : folders) {
    const fs::path program = folder / "nvdisasm";
    std::error_code ignored;
    if (folder.is_absolute() && fs::is_regular_file(program, ignored) && ::access(program.c_str(), X_OK) == 0)
      return program.string();
  }
  return {};
}

}  // namespace kgate::fingerprint
