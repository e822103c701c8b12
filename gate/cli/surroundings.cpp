#include "gate/cli/surroundings.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "gate/lease/lease_variable.h"
#include "gate/trust/base_commit.h"

namespace kgate::cli {
namespace {

constexpr std::uint64_t kMaxEvent = 16u << 20;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Reads a secret and leaves nothing of it behind: neither for getenv nor in the memory that /proc/PID/environ shows.
std::string taken(const std::string& name) {
  std::string value = variable(name.c_str());
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with(name + "=")) ::explicit_bzero(*entry, std::strlen(*entry));
  }
  return value;
}

std::map<std::string, std::string> all_variables() {
  std::map<std::string, std::string> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) found.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

// Those by which the base commit is found, on every CI system that gate/trust knows: one that is left out here would
// make a CI job look like a person's machine, where the change's own HEAD is the base.
std::map<std::string, std::string> ci_variables() {
  std::map<std::string, std::string> found;
  for (const auto& name : trust::base_variables()) {
    if (const char* value = std::getenv(name.c_str())) found.emplace(name, value);
  }
  return found;
}

}  // namespace

Surroundings read_surroundings() {
  Surroundings surroundings;
  surroundings.ci = ci_variables();
  surroundings.github_event_path = variable("GITHUB_EVENT_PATH");
  surroundings.cuda_home = variable("CUDA_HOME");
  if (surroundings.cuda_home.empty()) surroundings.cuda_home = variable("CUDA_PATH");
  surroundings.cxx = variable("CXX");
  surroundings.library_path = variable("LD_LIBRARY_PATH");
  surroundings.home = variable("HOME");
  surroundings.cache_home = variable("XDG_CACHE_HOME");
  surroundings.state_home = variable("XDG_STATE_HOME");
  surroundings.no_color = !variable("NO_COLOR").empty();
  surroundings.ci_job = !variable("CI").empty() && variable("CI") != "false";
  surroundings.key = taken("KGATE_KEY");
  surroundings.key_passphrase = taken("KGATE_KEY_PASSPHRASE");
  surroundings.search_key = taken("KGATE_SEARCH_KEY");
  surroundings.key_file = variable("KGATE_KEY_FILE");
  surroundings.lease = variable(lease::kLeaseVariable);
  surroundings.environment = all_variables();
  return surroundings;
}

std::string github_event(const Surroundings& surroundings) {
  if (surroundings.github_event_path.empty()) return {};
  try {
    return std::string(text_of(read_file(surroundings.github_event_path, kMaxEvent)));
  } catch (const Error&) {
    return {};
  }
}

fingerprint::Toolkit find_toolkit(const Arguments& arguments, const Surroundings& surroundings) {
  return fingerprint::find_toolkit(
      {arguments.cuda.value_or(surroundings.cuda_home), surroundings.cxx, surroundings.library_path});
}

}  // namespace kgate::cli
