#include "gate/cases/case_files.h"

#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/toml_reader.h"
#include "gate/cases/sources.h"

namespace kgate::cases {
namespace {

// The folder part of a pattern before its first wildcard: no need to list the rest of the repository.
std::string fixed_folder(const std::string& pattern) {
  const auto wild = pattern.find_first_of("*?");
  return parent_of(wild == std::string::npos ? pattern : pattern.substr(0, wild + 1));
}

}  // namespace

std::string kernel_name_in(const FileTree& tree, const std::string& path) {
  const auto text = tree.read(path, kMostCasesBytes);
  if (!text) {
    throw Error(ErrorKind::usage, path, "is not in " + tree.description(),
                "a kernel needs its cases beside it; see docs/cases-toml.md");
  }
  const TomlDocument document(text_of(*text), path);
  return document.root().require("kernel", "add kernel = \"name\", unique in the repository").text();
}

std::vector<std::string> files_of(const CasesSpec& cases, const FileTree& tree) {
  std::set<std::string> paths{cases.path};
  if (cases.reference) {
    for (const auto& [path, content] : read_sources(cases.reference->sources, tree, cases.path)) paths.insert(path);
  }
  for (const auto& one : cases.cases) {
    for (const auto& [output, path] : one.expected) paths.insert(path);
    for (const auto& [param, generator] : one.inputs) {
      if (!generator.file.empty()) paths.insert(generator.file);
    }
  }
  return {paths.begin(), paths.end()};
}

std::string name_in(const CasesSpec& cases, const std::string& path) {
  const std::filesystem::path folder = cases.folder.empty() ? "." : cases.folder;
  return std::filesystem::path(path).lexically_relative(folder).generic_string();
}

std::map<std::string, std::string> find_cases(const FileTree& tree, const std::vector<std::string>& kernel_patterns) {
  std::set<std::string> kernels;
  for (const auto& pattern : kernel_patterns) {
    for (const auto& path : tree.list(fixed_folder(pattern))) {
      if (glob_match(pattern, path)) kernels.insert(path);
    }
  }
  std::map<std::string, std::string> found;
  for (const auto& kernel : kernels) {
    const std::string path = join_beneath(parent_of(kernel), "cases.toml");
    const std::string name = kernel_name_in(tree, path);
    const auto [place, added] = found.try_emplace(name, path);
    if (!added && place->second != path) {
      throw Error(ErrorKind::usage, path, fmt::format("kernel \"{}\" is declared by {} too", name, place->second),
                  "give each kernel a name of its own");
    }
  }
  return found;
}

}  // namespace kgate::cases
