#include "tests/structure/house.h"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <sstream>

#include <fmt/format.h>

namespace kgate::structure {
namespace {

struct Folder {
  std::string path;
  int floor;
};

// The table of the design. Folders within a folder (runner/cuda) belong to it, but for those of the judge, which has a
// staircase of its own.
const std::array<Folder, 30> kHouse{{
    {"base", 0},
    {"fingerprint", 1},
    {"gate/stats", 1},
    {"runner", 2},
    {"gate/trust", 3},
    {"gate/cases", 3},
    {"gate/lease", 3},
    {"gate/lint", 4},
    {"gate/sanitize", 4},
    {"gate/counters", 4},
    {"gate/disassembly", 4},
    {"gate/scaffold", 4},
    {"gate/verdict/result", 5},
    {"gate/verdict/subject", 6},
    {"gate/verdict/compile", 7},
    {"gate/verdict/check", 8},
    {"gate/verdict/qualify", 9},
    {"gate/verdict/timing", 9},
    {"gate/verdict/noise", 11},
    {"gate/verdict/bisect", 11},
    {"gate/verdict", 10},
    {"gate/drift", 11},
    {"gate/report", 12},
    {"gate/search/journal", 11},
    {"gate/search/tuner", 11},
    {"gate/search/propose", 12},
    {"gate/search/evaluate", 14},
    {"gate/search/session", 15},
    {"gate/search", 13},
    {"gate/cli", 16},
}};

constexpr std::uint64_t kLargestSource = 16 << 20;

const Folder* folder_of(const std::string& path) {
  const auto found = std::find_if(kHouse.begin(), kHouse.end(),
                                  [&](const Folder& folder) { return path.starts_with(folder.path + "/"); });
  return found == kHouse.end() ? nullptr : &*found;
}

std::vector<std::string> sources(const FileTree& tree) {
  std::vector<std::string> found;
  for (const std::string top : {"base", "fingerprint", "runner", "gate"}) {
    for (const std::string& path : tree.list(top)) {
      if (path.ends_with(".h") || path.ends_with(".cpp")) found.push_back(path);
    }
  }
  return found;
}

// Calls `use(number, line)` for every line of a file.
template <typename Use>
void for_each_line(const FileTree& tree, const std::string& path, Use&& use) {
  const auto content = tree.read(path, kLargestSource);
  std::istringstream lines(content ? std::string(text_of(*content)) : "");
  int number = 0;
  for (std::string line; std::getline(lines, line);) use(++number, line);
}

// Why `from` may not include `included`; nothing where it may.
std::optional<std::string> objection(const FileTree& tree, const std::vector<std::string>& generated,
                                     const std::string& from, const std::string& included) {
  const Folder* const own = folder_of(from);
  const Folder* const other = folder_of(included);
  if (own == nullptr) return "lies in no folder of the house";
  if (other == nullptr) {
    return fmt::format("includes \"{}\", which names no folder of the house; write its path from the project's root",
                       included);
  }
  const bool is_generated = std::find(generated.begin(), generated.end(), included) != generated.end();
  if (!is_generated && !tree.read(included, kLargestSource))
    return fmt::format("includes \"{}\", which is not there", included);
  if (own == other || other->floor < own->floor) return std::nullopt;
  return fmt::format("{} (floor {}) includes \"{}\" ({}, floor {})", own->path, own->floor, included, other->path,
                     other->floor);
}

}  // namespace

std::vector<std::string> wrong_includes(const FileTree& tree, const std::vector<std::string>& generated) {
  static const std::regex kInclude("^\\s*#\\s*include\\s*\"([^\"]+)\".*");
  std::vector<std::string> found;
  for (const std::string& path : sources(tree)) {
    for_each_line(tree, path, [&](int number, const std::string& line) {
      std::smatch match;
      if (!std::regex_match(line, match, kInclude)) return;
      if (const auto why = objection(tree, generated, path, match[1]))
        found.push_back(fmt::format("{}:{}: {}", path, number, *why));
    });
  }
  return found;
}

std::vector<std::string> environment_reads(const FileTree& tree) {
  static const std::regex kRead("\\b(secure_)?getenv\\s*\\(|(^|[^/\\w])environ\\b");
  std::vector<std::string> found;
  for (const std::string& path : sources(tree)) {
    if (path.starts_with("gate/cli/")) continue;
    for_each_line(tree, path, [&](int number, const std::string& line) {
      const std::string code = line.substr(0, line.find("//"));
      if (std::regex_search(code, kRead)) found.push_back(fmt::format("{}:{}: {}", path, number, line));
    });
  }
  return found;
}

std::size_t house_files(const FileTree& tree) {
  return sources(tree).size();
}

}  // namespace kgate::structure
