#include "gate/cli/surroundings.h"

#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include "base/file.h"

namespace kgate::cli {
namespace {

constexpr std::uint64_t kMaxEvent = 16u << 20;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::map<std::string, std::string> ci_variables() {
  std::map<std::string, std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const auto name = text.substr(0, equals);
    if (name == "CI" || name.starts_with("CI_") || name.starts_with("GITHUB_") || name.starts_with("GITLAB_")) {
      found.emplace(name, text.substr(equals + 1));
    }
  }
  return found;
}

}  // namespace

Surroundings read_surroundings() {
  Surroundings surroundings;
  surroundings.ci = ci_variables();
  if (const auto event = surroundings.ci.find("GITHUB_EVENT_PATH");
      event != surroundings.ci.end() && !event->second.empty()) {
    surroundings.github_event = std::string(text_of(read_file(event->second, kMaxEvent)));
  }
  surroundings.cuda_home = variable("CUDA_HOME");
  if (surroundings.cuda_home.empty()) surroundings.cuda_home = variable("CUDA_PATH");
  surroundings.cxx = variable("CXX");
  surroundings.library_path = variable("LD_LIBRARY_PATH");
  surroundings.home = variable("HOME");
  surroundings.cache_home = variable("XDG_CACHE_HOME");
  surroundings.no_color = !variable("NO_COLOR").empty();
  surroundings.ci_job = !variable("CI").empty() && variable("CI") != "false";
  return surroundings;
}

fingerprint::Toolkit find_toolkit(const Arguments& arguments, const Surroundings& surroundings) {
  return fingerprint::find_toolkit(
      {arguments.cuda.value_or(surroundings.cuda_home), surroundings.cxx, surroundings.library_path});
}

}  // namespace kgate::cli
