#include "gate/lease/process_tree.h"

#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

namespace kgate::lease {
namespace {

// /proc/PID/status, and not the folder's owner, who is root for every process that hides itself.
bool read_facts(const std::filesystem::path& folder, ProcessFacts& facts) {
  std::ifstream file(folder / "status");
  bool has_parent = false;
  for (std::string line; std::getline(file, line);) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos) continue;
    const std::string key = line.substr(0, tab);
    std::istringstream value(line.substr(tab + 1));
    if (key == "Name:") facts.name = line.substr(tab + 1);
    if (key == "PPid:") has_parent = static_cast<bool>(value >> facts.parent);
    if (key == "Uid:") {
      value >> facts.user;
      break;  // the last of the three
    }
  }
  return has_parent;
}

}  // namespace

ProcessTree read_process_tree(const std::filesystem::path& proc) {
  ProcessTree tree;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(proc, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    pid_t id = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), id);
    if (read.ec != std::errc() || read.ptr != name.data() + name.size()) continue;
    ProcessFacts facts;
    if (!read_facts(entry->path(), facts)) continue;  // it has just ended
    tree.emplace(id, std::move(facts));
  }
  return tree;
}

bool descends_from(const ProcessTree& tree, pid_t process, pid_t ancestor) {
  // A tree that was read while processes ended could hold a loop.
  for (std::size_t steps = 0; steps <= tree.size(); ++steps) {
    if (process == ancestor) return true;
    const auto found = tree.find(process);
    if (found == tree.end()) return false;
    process = found->second.parent;
  }
  return false;
}

}  // namespace kgate::lease
