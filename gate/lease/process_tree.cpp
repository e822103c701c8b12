#include "gate/lease/process_tree.h"

#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include <sys/stat.h>

namespace kgate::lease {
namespace {

// "71 (make) S 70 ...": the name may hold anything, blanks and brackets included, so the last bracket ends it.
bool read_stat(const std::filesystem::path& folder, ProcessFacts& facts) {
  std::ifstream file(folder / "stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  const auto open = line.find('('), close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return false;
  facts.name = line.substr(open + 1, close - open - 1);
  std::istringstream rest(line.substr(close + 1));
  std::string state;
  return static_cast<bool>(rest >> state >> facts.parent);
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
    struct stat status {};
    if (::stat(entry->path().c_str(), &status) != 0 || !read_stat(entry->path(), facts)) continue;  // it has just ended
    facts.user = status.st_uid;
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
