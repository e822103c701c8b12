#include "tests/kills/processes.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <thread>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kgate::test {
namespace {

std::string command_of(pid_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/cmdline");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

// The parent of every living process.
std::map<pid_t, pid_t> parents() {
  std::map<pid_t, pid_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    const auto close = line.rfind(')');
    if (close == std::string::npos) continue;
    std::istringstream fields(line.substr(close + 2));
    std::string state;
    pid_t parent = 0;
    fields >> state >> parent;
    if (state != "Z" && state != "X") found[static_cast<pid_t>(std::stol(name))] = parent;
  }
  return found;
}

}  // namespace

void adopt_orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

std::vector<Descendant> descendants_of(pid_t parent) {
  const auto all = parents();
  std::vector<Descendant> found;
  for (const auto& [id, direct] : all) {
    pid_t up = direct;
    while (up != parent && all.count(up) != 0) up = all.at(up);
    if (up == parent) found.push_back({id, command_of(id)});
  }
  return found;
}

std::vector<std::string> left_after(std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::vector<std::string> left;
  do {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    left.clear();
    for (const auto& one : descendants_of(::getpid())) left.push_back(one.command);
    if (left.empty()) return left;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (std::chrono::steady_clock::now() < end);
  return left;
}

}  // namespace kgate::test
