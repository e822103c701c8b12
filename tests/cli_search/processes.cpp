#include "tests/cli_search/processes.h"

#include <fstream>
#include <sstream>

namespace {

struct Stat {
  std::string name, state;
  pid_t parent = 0;
};

Stat stat_of(const std::filesystem::path& folder) {
  const std::string line = content_of(folder / "stat");
  const auto open = line.find('('), close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return {};
  std::istringstream fields(line.substr(close + 2));
  Stat stat;
  stat.name = line.substr(open + 1, close - open - 1);
  fields >> stat.state >> stat.parent;
  return stat;
}

}  // namespace

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::map<pid_t, std::string> descendants_of(pid_t ancestor) {
  std::map<pid_t, Stat> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos) all[std::stoi(name)] = stat_of(entry.path());
  }
  std::map<pid_t, std::string> found;
  for (const auto& [id, one] : all) {
    pid_t at = id;
    while (at != ancestor && at > 1 && all.count(at) != 0) at = all.at(at).parent;
    if (at == ancestor && id != ancestor) found[id] = one.name;
  }
  return found;
}

bool is_running(pid_t id, const std::string& name) {
  const Stat stat = stat_of("/proc/" + std::to_string(id));
  return stat.name == name && stat.state != "Z" && stat.state != "X";
}
