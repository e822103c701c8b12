#pragma once

#include <map>
#include <string>

#include "fingerprint/toolkit.h"
#include "gate/cli/arguments.h"

namespace kgate::cli {

// Everything that kgate takes from the process's environment, read once, here alone.
struct Surroundings {
  std::map<std::string, std::string> ci;  // GITHUB_*, CI_*, GITLAB_*, CI
  std::string github_event_path;          // GITHUB_EVENT_PATH
  std::string cuda_home, cxx, library_path, home, cache_home, state_home;
  bool no_color = false, ci_job = false;
  std::string lease;       // KGATE_LEASE
  std::string search_key;  // KGATE_SEARCH_KEY, erased like the others
  // KGATE_KEY, KGATE_KEY_FILE, KGATE_KEY_PASSPHRASE. The key and the passphrase are erased from the process's own
  // environment once they are read: what kgate starts could look there, by /proc.
  std::string key, key_file, key_passphrase;
  std::map<std::string, std::string> environment;  // all of it, less the keys and the passphrase
};

Surroundings read_surroundings();

// The content of GITHUB_EVENT_PATH; empty where there is none, or it cannot be read: only who needs it says so.
std::string github_event(const Surroundings& surroundings);

// The toolkit, where --cuda, CUDA_HOME, CUDA_PATH, CXX and LD_LIBRARY_PATH point to it.
fingerprint::Toolkit find_toolkit(const Arguments& arguments, const Surroundings& surroundings);

}  // namespace kgate::cli
