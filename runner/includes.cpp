#include "runner/includes.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file_tree.h"

namespace kgate::runner {
namespace {

// The path that a line includes, if it is an include; empty where a macro names it.
std::optional<std::string> included(std::string_view line) {
  const auto skip = [&line] {
    const std::size_t start = line.find_first_not_of(" \t");
    line.remove_prefix(std::min(start, line.size()));
  };
  skip();
  if (line.empty() || line.front() != '#') return std::nullopt;
  line.remove_prefix(1);
  skip();
  constexpr std::string_view kInclude = "include";
  if (line.substr(0, kInclude.size()) != kInclude) return std::nullopt;
  line.remove_prefix(kInclude.size());
  constexpr std::string_view kNext = "_next";  // g++'s #include_next
  if (line.substr(0, kNext.size()) == kNext) line.remove_prefix(kNext.size());
  skip();
  if (line.empty() || (line.front() != '"' && line.front() != '<')) return std::string();
  const std::size_t end = line.find(line.front() == '"' ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(line.substr(1, end - 1));
}

bool stays_beneath(const std::string& folder, const std::string& path) {
  try {
    join_beneath(folder, path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string refused_includes(const std::map<std::string, Bytes>& files, const std::vector<std::string>& include_dirs) {
  std::string findings;
  for (const auto& [name, content] : files) {
    std::string_view rest = text_of(content);
    for (int number = 1; !rest.empty(); ++number) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const auto path = included(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!path) continue;
      if (path->empty()) {
        findings += fmt::format("{}({}): error: includes what a macro names; name the file itself\n", name, number);
        continue;
      }
      if (path->front() == '/') {
        findings += fmt::format(
            "{}({}): error: includes \"{}\" by an absolute path; include declared headers and the toolkit's own\n",
            name, number, *path);
        continue;
      }
      const bool beneath = stays_beneath(parent_of(name), *path) ||
                           std::any_of(include_dirs.begin(), include_dirs.end(),
                                       [&](const std::string& folder) { return stays_beneath(folder, *path); });
      if (!beneath) {
        findings +=
            fmt::format("{}({}): error: includes \"{}\", which is outside the repository\n", name, number, *path);
      }
    }
  }
  return findings;
}

}  // namespace kgate::runner
