#include "fingerprint/cuda_tool.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/process.h"

namespace kgate::fingerprint {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOfLine = 200;

std::vector<fs::path> places(const CudaTool& tool, const std::string& search_path, const std::string& toolkit) {
  std::vector<fs::path> found;
  for (std::size_t at = 0; at <= search_path.size();) {
    const std::size_t end = std::min(search_path.find(':', at), search_path.size());
    const fs::path folder = search_path.substr(at, end - at);
    if (folder.is_absolute()) found.push_back(folder / tool.name);
    at = end + 1;
  }
  for (const fs::path root : {toolkit.c_str(), "/usr/local/cuda", "/opt/cuda"}) {
    if (root.empty()) continue;
    for (const char* const folder : tool.folders) found.push_back(root / folder / tool.name);
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

std::string first_line(const std::string& output) {
  return output.substr(0, std::min(output.find('\n'), kMostOfLine));
}

FoundTool broken(const fs::path& program, const std::string& why) {
  return {"", "", program.string() + " " + why};
}

CommandResult ask(const fs::path& program, const char* question) {
  ProcessOptions options;
  options.command = {program.string(), question};
  options.environment = {{"PATH", options.search_path}, {"LC_ALL", "C"}};
  CommandLimits limits;
  limits.deadline = std::chrono::seconds(20);
  return run_command(options, limits);
}

// Nothing for what is not there.
std::optional<FoundTool> look_at(const fs::path& program) {
  std::error_code ignored;
  if (!fs::is_regular_file(program, ignored)) return std::nullopt;
  try {
    const CommandResult answer = ask(program, "--version");
    if (answer.timed_out) return broken(program, "did not tell its version within 20 s");
    if (!answer.status.ok()) {
      return broken(program, "did not tell its version: " +
                                 (answer.output.empty() ? "it ended without a word" : first_line(answer.output)));
    }
    return FoundTool{program.string(), version_in(answer.output), ""};
  } catch (const Error& error) {
    return broken(program, error.fact());
  }
}

}  // namespace

FoundTool find_cuda_tool(const CudaTool& tool, const std::string& search_path, const std::string& toolkit) {
  FoundTool none;
  for (const fs::path& place : places(tool, search_path, toolkit)) {
    const auto found = look_at(place);
    if (!found) continue;
    if (!found->path.empty()) return *found;
    if (none.broken.empty()) none.broken = found->broken;
  }
  return none;
}

std::string answer_of(const std::string& program, const char* question) {
  return ask(program, question).output;
}

}  // namespace kgate::fingerprint
