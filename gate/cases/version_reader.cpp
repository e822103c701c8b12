#include "gate/cases/version_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"
#include "gate/cases/sources.h"

namespace kgate::cases {
namespace {

constexpr std::size_t kMostFiles = 256, kMostLaunches = 64, kMostRank = 32, kLongest = 1000;

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// One line of printable text: what goes to a compiler's command line or into a generated file.
std::string read_line(const TomlReader& value) {
  const std::string& text = value.text();
  if (text.size() > kLongest) value.fail("is longer than 1000 characters");
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      value.fail(kgate::quoted(text) + " has a control character", "remove it");
  }
  return text;
}

std::vector<TomlReader> items_up_to(const TomlReader& value, std::size_t limit) {
  std::vector<TomlReader> items = value.items();
  if (items.size() > limit)
    value.fail(fmt::format("has {} entries, more than the {} that kgate takes", items.size(), limit));
  return items;
}

std::vector<std::string> read_paths(const TomlReader& table, const std::string& name, const std::string& folder) {
  std::vector<std::string> paths;
  const auto value = table.find(name);
  if (!value) return paths;
  for (const TomlReader& item : items_up_to(*value, kMostFiles)) {
    const std::string beneath = folder + "/" + item.text();
    if (const auto fault = fault_of_name(beneath)) item.fail(kgate::quoted(beneath) + " " + *fault, "rename it");
    const std::string path = read_path(item, folder);
    if (std::find(paths.begin(), paths.end(), path) != paths.end())
      item.fail(kgate::quoted(item.text()) + " is named twice");
    paths.push_back(path);
  }
  return paths;
}

// Options that no policy can allow, because kgate's own promises stand on them.
struct Refused {
  std::string_view option;
  bool prefix;  // "-Ifolder" as well as "-I folder"
  const char* why;
  const char* hint;
};
constexpr const char* kRelocatable = "makes relocatable code, which is not the code that runs";
constexpr const char* kLeaves = "would read files that are not declared";
constexpr std::array<Refused, 21> kRefused{{
    {"-rdc", false, kRelocatable, "remove it"},
    {"--relocatable-device-code", false, kRelocatable, "remove it"},
    {"-dc", false, kRelocatable, "remove it"},
    {"--device-c", false, kRelocatable, "remove it"},
    {"-dlto", false, kRelocatable, "remove it"},
    {"--dlink-time-opt", false, kRelocatable, "remove it"},
    {"-I", true, kLeaves, "use include_dirs"},
    {"--include-path", false, kLeaves, "use include_dirs"},
    {"-include", true, kLeaves, "use include_dirs and an #include"},
    {"--pre-include", false, kLeaves, "use include_dirs and an #include"},
    {"-isystem", true, kLeaves, "use include_dirs"},
    {"-iquote", true, kLeaves, "use include_dirs"},
    {"-idirafter", true, kLeaves, "use include_dirs"},
    {"-imacros", true, kLeaves, "use include_dirs and an #include"},
    {"--options-file", false, kLeaves, "write the options here"},
    {"-optf", false, kLeaves, "write the options here"},
    {"-std", false, "is decided by a key of its own", "use std"},
    {"--std", false, "is decided by a key of its own", "use std"},
    {"-arch", false, "is decided by a key of its own", "use arch"},
    {"--gpu-architecture", false, "is decided by a key of its own", "use arch"},
    {"--gpu-code", false, "is decided by a key of its own", "use arch"},
}};

std::vector<std::string> read_options(const TomlReader& value) {
  std::vector<std::string> options;
  for (const TomlReader& item : items_up_to(value, kMostFiles)) {
    const std::string option = read_line(item);
    if (option.size() < 2 || option[0] != '-') {
      item.fail(kgate::quoted(option) + " is not an option",
                "write an option and its value in one string, such as \"--maxrregcount=64\"");
    }
    const std::string name = option.substr(0, option.find_first_of("= "));
    for (const Refused& refused : kRefused) {
      if (name == refused.option || (refused.prefix && starts_with(option, refused.option))) {
        item.fail(kgate::quoted(option) + " " + refused.why, refused.hint);
      }
    }
    options.push_back(option);
  }
  return options;
}

std::map<std::string, std::string> read_defines(const TomlReader& value) {
  std::map<std::string, std::string> defines;
  for (const auto& [name, item] : value.entries()) {
    if (!is_identifier(name)) item.fail("is not an identifier", "use letters, digits and _");
    defines.emplace(name, read_define(item));
  }
  if (defines.size() > kMostFiles)
    value.fail(fmt::format("has {} entries, more than the 256 that kgate takes", defines.size()));
  return defines;
}

std::string read_architecture(const TomlReader& value) {
  std::string architecture = read_line(value);
  const bool known = starts_with(architecture, "sm_") && architecture.size() >= 5 && architecture.size() <= 8 &&
                     std::all_of(architecture.begin() + 3, architecture.end(),
                                 [](char c) { return (c >= '0' && c <= '9') || c == 'a' || c == 'f'; });
  if (!known)
    value.fail(kgate::quoted(architecture) + " is not an architecture", "write it like \"sm_90\" or \"sm_90a\"");
  return architecture;
}

void check_kind(const TomlReader& table, const SourceSet& set) {
  const TomlReader sources = table.require("sources", "add sources = [\"name.cu\"]");
  if (set.sources.empty()) sources.fail("is empty", "name the file to compile");
  if (set.kind == "cuda") return;
  if (set.sources.size() != 1) sources.fail("must be one file where kind = \"" + set.kind + "\"");
  for (const char* name : {"headers", "include_dirs", "std", "options"}) {
    if (const auto value = table.find(name)) {
      value->fail("has no meaning where kind = \"" + set.kind + "\"", "remove it");
    }
  }
}

// "softmax", "ns::softmax<BLOCK, float>"
std::string read_entry(const TomlReader& value) {
  std::string entry = read_line(value);
  const std::size_t start = starts_with(entry, "::") ? 2 : 0;
  const bool begins = start < entry.size() && is_identifier(entry.substr(start, 1));
  if (!begins || entry.find_first_of(";\"\\#{}") != std::string::npos) {
    value.fail(kgate::quoted(entry) + " is not the name of a kernel",
               "write it like \"softmax\" or \"softmax<BLOCK>\"");
  }
  return entry;
}

std::array<Expression, 3> read_triple(const TomlReader& value) {
  const std::vector<TomlReader> items = value.items();
  if (items.empty() || items.size() > 3)
    value.fail(fmt::format("has {} entries", items.size()), "write one to three: [x, y, z]");
  std::array<Expression, 3> result;
  for (std::size_t i = 0; i < 3; ++i) {
    result[i] = i < items.size() ? read_expression(items[i]) : Expression{"1", fmt::format("{}[{}]", value.where(), i)};
  }
  return result;
}

LaunchSpec read_launch(const TomlReader& table) {
  LaunchSpec launch;
  launch.where = table.where();
  launch.entry = read_entry(table.require("entry", "add entry = \"name\", the kernel's name in the source"));
  launch.grid = read_triple(table.require("grid", "add grid = [\"rows\", 1, 1], the number of blocks"));
  launch.block = read_triple(table.require("block", "add block = [256, 1, 1], the threads of a block"));
  const auto shared = table.find("shared");
  launch.shared = shared ? read_expression(*shared) : Expression{"0", table.where("shared")};
  if (const auto cluster = table.find("cluster")) launch.cluster = read_triple(*cluster);
  if (const auto cooperative = table.find("cooperative")) launch.cooperative = cooperative->boolean();
  if (const auto arguments = table.find("args")) {
    launch.arguments.emplace();
    for (const TomlReader& item : items_up_to(*arguments, kMostFiles)) launch.arguments->push_back(item.text());
  }
  return launch;
}

}  // namespace

std::string read_path(const TomlReader& value, const std::string& folder) {
  const std::string path = read_line(value);
  try {
    return join_beneath(folder, path);
  } catch (const Error& error) {
    value.fail(kgate::quoted(path) + " " + error.fact(), error.hint());
  }
}

std::string read_define(const TomlReader& value) {
  switch (value.kind()) {
    case TomlReader::Kind::integer:
      return std::to_string(value.integer());
    case TomlReader::Kind::boolean:
      return value.boolean() ? "1" : "0";
    case TomlReader::Kind::number: {
      if (!std::isfinite(value.number())) value.fail("is not a finite number");
      const std::string digits = fmt::format("{}", value.number());
      return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
    }
    case TomlReader::Kind::text:
      return read_line(value);
    default:
      value.fail("must be an integer, a number, a string, or true or false");
  }
}

Expression read_expression(const TomlReader& value) {
  if (value.is(TomlReader::Kind::integer)) return {std::to_string(value.integer()), value.where()};
  if (value.is(TomlReader::Kind::text)) return {value.text(), value.where()};
  value.fail("must be an integer or an expression", "write 256 or \"ceil_div(cols, 256)\"");
}

std::vector<Expression> read_shape(const TomlReader& value) {
  std::vector<Expression> shape;
  for (const TomlReader& item : items_up_to(value, kMostRank)) shape.push_back(read_expression(item));
  return shape;
}

DType read_dtype(const TomlReader& value) {
  static const std::vector<std::string> names{"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32",
                                              "i16", "i8",  "u64", "u32",  "u16",    "u8",     "bool"};
  return *dtype_from_name(names[value.choice(names)]);
}

std::string read_identifier(const TomlReader& value) {
  const std::string& name = value.text();
  if (!is_identifier(name))
    value.fail(kgate::quoted(name) + " is not an identifier", "use letters, digits and _, at most 100");
  return name;
}

SourceSet read_source_set(const TomlReader& table, const std::string& folder) {
  SourceSet set;
  if (const auto kind = table.find("kind")) {
    if (kind->text() == "library")
      kind->fail("\"library\" is reserved for a later version", "use \"cuda\", \"ptx\" or \"cubin\"");
    const std::vector<std::string> kinds{"cuda", "ptx", "cubin"};
    set.kind = kinds[kind->choice(kinds)];
  }
  set.sources = read_paths(table, "sources", folder);
  set.headers = read_paths(table, "headers", folder);
  set.include_dirs = read_paths(table, "include_dirs", folder);
  if (const auto standard = table.find("std")) {
    const std::vector<std::string> standards{"c++11", "c++14", "c++17", "c++20"};
    set.standard = standards[standard->choice(standards)];
  }
  if (const auto options = table.find("options")) set.options = read_options(*options);
  if (const auto defines = table.find("defines")) set.defines = read_defines(*defines);
  if (const auto architecture = table.find("arch")) set.architecture = read_architecture(*architecture);
  check_kind(table, set);
  return set;
}

std::vector<LaunchSpec> read_launches(const TomlReader& table, bool short_form) {
  std::vector<LaunchSpec> launches;
  const auto entry = table.find("entry");
  if (short_form && entry) {
    if (table.find("launch")) entry->fail("and launch are both there", "keep one of them");
    launches.push_back(read_launch(table));
    return launches;
  }
  for (const TomlReader& one : table.list("launch", kMostLaunches)) {
    one.allow_only({"entry", "grid", "block", "shared", "cluster", "cooperative", "args"});
    launches.push_back(read_launch(one));
  }
  if (launches.empty()) {
    const std::string prefix = table.key().empty() ? "" : table.key() + ".";
    throw Error(ErrorKind::usage, table.where("launch"), "is missing",
                short_form ? "add entry, grid and block" : "add [[" + prefix + "launch]] with entry, grid and block");
  }
  for (const char* name : {"grid", "block", "shared"}) {
    if (const auto value = table.find(name); short_form && value)
      value->fail("has no entry beside it", "add entry = \"name\"");
  }
  return launches;
}

std::vector<WorkspaceSpec> read_workspaces(const TomlReader& table) {
  std::vector<WorkspaceSpec> workspaces;
  std::set<std::string> names;
  for (const TomlReader& one : table.list("workspace", kMostLaunches)) {
    one.allow_only({"name", "dtype", "shape", "init"});
    WorkspaceSpec workspace;
    workspace.where = one.where();
    const TomlReader name = one.require("name", "add name = \"partial\"");
    workspace.name = read_identifier(name);
    if (!names.insert(workspace.name).second)
      name.fail(kgate::quoted(workspace.name) + " is declared twice", "rename one of them");
    workspace.dtype = read_dtype(one.require("dtype", "add dtype = \"f32\""));
    workspace.shape = read_shape(one.require("shape", "add shape = [\"ceil_div(cols, 256)\"]"));
    if (const auto init = one.find("init")) workspace.zeroed = init->choice({"zero", "none"}) == 0;
    workspaces.push_back(std::move(workspace));
  }
  return workspaces;
}

}  // namespace kgate::cases
