#include "runner/host/dependencies.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "runner/host/unit.h"

// A scan of the text finds the includes that somebody wrote (runner/includes); what was read in the end the compiler
// knows. So its own list is looked at too: where there is no Landlock, nothing else stands between a source and the
// machine's files.
namespace kgate::runner::host {
namespace {

namespace fs = std::filesystem;

// "unit.o: a.cu b\ c.cuh \<newline> d.cuh", as make reads it.
std::vector<std::string> prerequisites(std::string_view text) {
  text.remove_prefix(std::min(text.find(": "), text.size()));
  std::vector<std::string> names;
  std::string name;
  const auto end = [&] {
    if (!name.empty() && name != ":") names.push_back(name);
    name.clear();
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (text[at] == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      name += next;
      ++at;
    } else if (text[at] == '$' && next == '$') {
      name += '$';
      ++at;
    } else if (text[at] == ' ' || text[at] == '\n' || (text[at] == '\\' && next == '\n')) {
      end();
    } else {
      name += text[at];
    }
  }
  end();
  return names;
}

bool is_beneath(const fs::path& file, const fs::path& folder) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end == folder.end();
}

// Of packages, and of the compiler itself: "/opt/gcc-14/bin/g++" has its headers in /opt/gcc-14/lib and include.
std::vector<fs::path> system_folders(const fs::path& compiler) {
  std::vector<fs::path> folders{"/usr/include", "/usr/local/include", "/usr/lib", "/usr/lib64", "/usr/libexec", "/lib"};
  std::error_code failed;
  for (const fs::path& program : {compiler, fs::canonical(compiler, failed)}) {
    const fs::path prefix = program.parent_path().parent_path();
    if (program.parent_path().filename() != "bin" || prefix == "/") continue;
    for (const char* part : {"lib", "lib64", "libexec", "include"}) folders.push_back(prefix / part);
    const std::string name = program.filename();
    if (const auto dash = name.rfind('-'); dash != std::string::npos) folders.push_back(prefix / name.substr(0, dash));
  }
  return folders;
}

}  // namespace

std::string undeclared(const CompileJob& job, std::string_view makefile) {
  const std::vector<fs::path> folders = system_folders(job.toolkit.host_compiler);
  std::set<std::string> found;
  for (const std::string& name : prerequisites(makefile)) {
    const fs::path file = fs::path(name).lexically_normal();
    const bool ours = file.is_relative() && (job.files.count(file.generic_string()) != 0 || file == kUnitName ||
                                             is_beneath(file, kHeaderFolder));
    const bool systems = file.is_absolute() && std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
                           return is_beneath(file, folder);
                         });
    if (!ours && !systems) found.insert(file.generic_string());
  }
  std::string findings;
  for (const std::string& file : found) {
    findings += fmt::format(
        "error: the compiler read \"{}\", which is outside the repository; include declared headers and the system's "
        "own\n",
        file);
  }
  return findings;
}

}  // namespace kgate::runner::host
