#include "fingerprint/compute_sanitizer.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/process.h"

namespace kgate::fingerprint {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "compute-sanitizer";

std::vector<fs::path> places(const std::string& search_path, const std::string& toolkit) {
  std::vector<fs::path> found;
  for (std::size_t at = 0; at <= search_path.size();) {
    const std::size_t end = std::min(search_path.find(':', at), search_path.size());
    const fs::path folder = search_path.substr(at, end - at);
    if (folder.is_absolute()) found.push_back(folder / kName);
    at = end + 1;
  }
  for (const fs::path root : {toolkit.c_str(), "/usr/local/cuda", "/opt/cuda"}) {
    if (root.empty()) continue;
    // The program's own folder; bin has a script that starts it.
    for (const char* const folder : {"compute-sanitizer", "extras/compute-sanitizer", "bin"})
      found.push_back(root / folder / kName);
  }
  return found;
}

// "Version 2025.3.1.0 (build 36398880)" -> "2025.3.1.0".
std::string version_in(const std::string& output) {
  constexpr std::string_view kWord = "Version ";
  const auto at = output.find(kWord);
  if (at == std::string::npos) return {};
  const auto begin = at + kWord.size();
  return output.substr(begin, output.find_first_of(" \r\n", begin) - begin);
}

// Nothing for what is not there or does not start.
std::optional<ComputeSanitizer> ask(const fs::path& program) {
  std::error_code ignored;
  if (!fs::is_regular_file(program, ignored)) return std::nullopt;
  ProcessOptions options;
  options.command = {program.string(), "--version"};
  options.environment = {{"PATH", options.search_path}, {"LC_ALL", "C"}};
  CommandLimits limits;
  limits.deadline = std::chrono::seconds(20);
  try {
    const CommandResult result = run_command(options, limits);
    if (!result.status.ok() || result.timed_out) return std::nullopt;
    return ComputeSanitizer{program.string(), version_in(result.output)};
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

ComputeSanitizer find_compute_sanitizer(const std::string& search_path, const std::string& toolkit) {
  for (const fs::path& place : places(search_path, toolkit)) {
    if (auto found = ask(place)) return *found;
  }
  return {};
}

}  // namespace kgate::fingerprint
