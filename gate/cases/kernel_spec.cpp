#include "gate/cases/kernel_spec.h"

#include <algorithm>

#include "base/file_tree.h"
#include "base/nearest.h"
#include "base/quote.h"
#include "base/toml_reader.h"
#include "gate/cases/version_reader.h"

namespace kgate::cases {
namespace {

constexpr std::size_t kMostTunables = 64, kMostValues = 256;

std::map<std::string, std::vector<std::string>> read_tunables(const TomlReader& table, const SourceSet& sources) {
  std::map<std::string, std::vector<std::string>> tunables;
  std::vector<std::string> defines;
  for (const auto& [name, value] : sources.defines) defines.push_back(name);
  for (const auto& [name, item] : table.entries()) {
    if (sources.defines.count(name) == 0) {
      const auto near = nearest(name, defines);
      item.fail("is not one of the defines",
                near ? "did you mean \"" + *near + "\"?" : "add it to defines, with the value that it has now");
    }
    std::vector<std::string>& values = tunables[name];
    for (const TomlReader& value : item.items()) {
      const std::string text = read_define(value);
      if (std::find(values.begin(), values.end(), text) != values.end())
        value.fail(kgate::quoted(text) + " is there twice");
      values.push_back(text);
    }
    if (values.empty()) item.fail("has no values", "name the values that a search may try");
    if (values.size() > kMostValues) item.fail("has more than 256 values", "name fewer");
  }
  if (tunables.size() > kMostTunables) table.fail("has more than 64 entries", "name fewer");
  return tunables;
}

// The interface is the reviewers': who writes it here is told where it goes.
void check_keys(const TomlReader& root) {
  for (const char* name : {"entry", "grid", "block", "shared", "cluster", "cooperative", "args"}) {
    if (const auto value = root.find(name)) value->fail("belongs to a launch", "put it under [[launch]]");
  }
  for (const char* name : {"param", "case", "reference", "work"}) {
    if (const auto value = root.find(name)) value->fail("belongs to the reviewers' file", "put it into cases.toml");
  }
  root.allow_only({"schema", "kind", "sources", "headers", "include_dirs", "std", "options", "defines", "arch",
                   "launch", "workspace", "tunables"});
}

}  // namespace

KernelSpec parse_kernel(std::string_view text, const std::string& path) {
  const TomlDocument document(text, path);
  const TomlReader root = document.root();
  check_schema(root, "kgate.kernel/1");
  check_keys(root);
  KernelSpec kernel;
  kernel.path = path;
  kernel.folder = parent_of(path);
  kernel.sources = read_source_set(root, kernel.folder);
  kernel.launches = read_launches(root, false);
  kernel.workspaces = read_workspaces(root);
  if (const auto tunables = root.find("tunables")) kernel.tunables = read_tunables(*tunables, kernel.sources);
  return kernel;
}

}  // namespace kgate::cases
