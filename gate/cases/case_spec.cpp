#include "gate/cases/case_spec.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/file_tree.h"
#include "base/nearest.h"
#include "base/quote.h"
#include "base/toml_reader.h"
#include "gate/cases/generator_reader.h"
#include "gate/cases/param_reader.h"
#include "gate/cases/tolerance_reader.h"
#include "gate/cases/version_reader.h"

namespace kgate::cases {
namespace {

constexpr std::size_t kMostCases = 10000, kMostSizes = 64, kLongestName = 100;

std::string read_kernel_name(const TomlReader& value) {
  const std::string& name = value.text();
  if (!is_kernel_name(name))
    value.fail(kgate::quoted(name) + " is not a kernel's name", "use letters, digits, '_', '-' and '.', at most 100");
  return name;
}

std::string read_case_name(const TomlReader& value) {
  const std::string& name = value.text();
  const bool printable =
      std::none_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
  if (name.empty() || name.size() > kLongestName || !printable) {
    value.fail(kgate::quoted(name) + " is not a case's name", "use one line of at most 100 characters");
  }
  return name;
}

const ParamSpec* find_param(const std::vector<ParamSpec>& params, const std::string& name) {
  const auto found =
      std::find_if(params.begin(), params.end(), [&](const ParamSpec& param) { return param.name == name; });
  return found == params.end() ? nullptr : &*found;
}

const ParamSpec& need_param(const TomlReader& value, const std::string& name, const std::vector<ParamSpec>& params) {
  if (const ParamSpec* param = find_param(params, name)) return *param;
  std::vector<std::string> names;
  for (const ParamSpec& param : params) names.push_back(param.name);
  const auto near = nearest(name, names);
  value.fail("is not a parameter", near ? "did you mean \"" + *near + "\"?" : "declare it with [[param]]");
}

bool is_output(const ParamSpec& param) {
  return param.kind == ParamKind::out || param.kind == ParamKind::inout;
}

DType read_out_dtype(const TomlReader& value, const ParamSpec& param) {
  if (param.kind != ParamKind::out) value.fail("is not a parameter of kind \"out\"", "remove it");
  const DType wider = read_dtype(value);
  if (is_float(wider) != is_float(param.dtype) || size_of(wider) < size_of(param.dtype)) {
    value.fail("is not as wide as the parameter's " + std::string(name_of(param.dtype)),
               "use a wider type of the same kind");
  }
  return wider;
}

ReferenceSpec read_reference(const TomlReader& table, const std::string& folder, const std::vector<ParamSpec>& params) {
  table.allow_only({"kind", "sources", "headers", "include_dirs", "std", "options", "defines", "arch", "entry", "grid",
                    "block", "shared", "launch", "workspace", "out_dtype"});
  ReferenceSpec reference;
  reference.where = table.where();
  reference.sources = read_source_set(table, folder);
  reference.launches = read_launches(table, true);
  reference.workspaces = read_workspaces(table);
  if (const auto out = table.find("out_dtype")) {
    for (const auto& [name, value] : out->entries()) {
      reference.out_dtype.emplace(name, read_out_dtype(value, need_param(value, name, params)));
    }
  }
  return reference;
}

Variables read_sizes(const TomlReader& table) {
  Variables sizes;
  for (const auto& [name, value] : table.entries()) {
    const bool function = name == "min" || name == "max" || name == "ceil_div" || name == "round_up";
    if (!is_identifier(name) || function)
      value.fail("is not a name that expressions can use", "use letters, digits and _, and no function's name");
    if (value.integer() < 0 || value.integer() > std::int64_t{1} << 53) value.fail("must be between 0 and 2^53");
    sizes.emplace(name, value.integer());
  }
  if (sizes.size() > kMostSizes) table.fail("has more than 64 entries");
  return sizes;
}

bool needs_generator(const ParamSpec& param) {
  return param.kind == ParamKind::in || (param.kind == ParamKind::inout && !param.zeroed);
}

void read_inputs(const TomlReader& table, const std::string& folder, const Interface& interface, CaseSpec& one) {
  if (const auto inputs = table.find("inputs")) {
    for (const auto& [name, value] : inputs->entries()) {
      const ParamSpec& param = need_param(value, name, interface.params);
      if (param.kind == ParamKind::scalar) value.fail("is a scalar", "its value stands at its [[param]]");
      if (param.kind == ParamKind::out) value.fail("is an output", "use kind = \"inout\" if the kernel reads it");
      if (param.zeroed) value.fail("is a parameter with init = \"zero\"", "keep one of the two");
      one.inputs.emplace(name, read_generator(value, param.dtype, folder));
    }
  }
  one.inputs.insert(interface.initial.begin(), interface.initial.end());
  for (const ParamSpec& param : interface.params) {
    if (needs_generator(param) && one.inputs.count(param.name) == 0) {
      throw Error(ErrorKind::usage, one.where, "generator for " + kgate::quoted(param.name) + " is missing",
                  "add inputs = { " + param.name + " = { normal = [0.0, 1.0] } }");
    }
  }
}

void read_expected(const TomlReader& table, const std::string& folder, const CasesSpec& cases, CaseSpec& one) {
  if (const auto expected = table.find("expected")) {
    for (const auto& [name, value] : expected->entries()) {
      if (!is_output(need_param(value, name, cases.params)))
        value.fail("is not an output", "name a parameter of kind \"out\" or \"inout\"");
      one.expected.emplace(name, read_path(value, folder));
    }
  }
  if (cases.reference) return;
  for (const ParamSpec& param : cases.params) {
    if (is_output(param) && one.expected.count(param.name) == 0) {
      throw Error(ErrorKind::usage, one.where, "nothing says what is right for " + kgate::quoted(param.name),
                  "add [reference], or expected = { " + param.name + " = \"" + param.name + ".npy\" }");
    }
  }
}

std::optional<std::uint64_t> read_seed(const TomlReader& value) {
  if (value.is(TomlReader::Kind::text)) {
    value.choice({"fresh"});
    return std::nullopt;
  }
  if (!value.is(TomlReader::Kind::integer)) value.fail("must be \"fresh\" or an integer");
  if (value.integer() < 0) value.fail("must be 0 or more");
  return static_cast<std::uint64_t>(value.integer());
}

std::vector<std::string> read_backends(const TomlReader& value) {
  std::vector<std::string> backends;
  for (const TomlReader& item : value.items()) {
    item.choice({"cuda", "host"});
    if (std::find(backends.begin(), backends.end(), item.text()) != backends.end())
      item.fail(kgate::quoted(item.text()) + " is there twice");
    backends.push_back(item.text());
  }
  if (backends.empty()) value.fail("is empty", "name \"cuda\", \"host\" or both, or remove it");
  return backends;
}

double read_weight(const TomlReader& value) {
  const double weight = value.number();
  if (!std::isfinite(weight) || weight <= 0) value.fail("must be a finite number over 0");
  return weight;
}

// An expression of this file over sizes, and what it is for.
struct Use {
  Expression expression;
  std::string what;
  bool of_reference = false;  // which has defines too
};

std::vector<Use> uses_of_sizes(const CasesSpec& cases) {
  std::vector<Use> uses;
  for (const ParamSpec& param : cases.params) {
    for (const Expression& extent : param.shape) uses.push_back({extent, "the shape of " + kgate::quoted(param.name)});
    const auto* value = std::get_if<Expression>(&param.value);
    if (param.kind == ParamKind::scalar && value != nullptr)
      uses.push_back({*value, "the value of " + kgate::quoted(param.name)});
  }
  if (cases.work_bytes) uses.push_back({*cases.work_bytes, "work.bytes"});
  if (cases.work_flops) uses.push_back({*cases.work_flops, "work.flops"});
  if (!cases.reference) return uses;
  for (const LaunchSpec& launch : cases.reference->launches) {
    for (const Expression& extent : launch.grid) uses.push_back({extent, "the reference's grid", true});
    for (const Expression& extent : launch.block) uses.push_back({extent, "the reference's block", true});
    uses.push_back({launch.shared, "the reference's shared memory", true});
  }
  return uses;
}

void check_sizes(const CasesSpec& cases, const CaseSpec& one) {
  const std::vector<Use> uses = uses_of_sizes(cases);
  std::set<std::string> used;
  for (const Use& use : uses) {
    for (const std::string& name : names_in(use.expression)) used.insert(name);
  }
  std::vector<std::string> idle;  // sizes that nothing uses: the missing one may be among them, misspelt
  for (const auto& [name, value] : one.sizes) {
    if (used.count(name) == 0) idle.push_back(name);
  }
  for (const Use& use : uses) {
    for (const std::string& name : names_in(use.expression)) {
      const bool defined = use.of_reference && cases.reference->sources.defines.count(name) != 0;
      if (one.sizes.count(name) != 0 || defined) continue;
      const auto near = nearest(name, idle);
      throw Error(ErrorKind::usage, one.where,
                  "size " + kgate::quoted(name) + " is missing, which " + use.what + " uses",
                  near ? "is it what sizes calls " + kgate::quoted(*near) + "?"
                       : "add sizes = { " + name + " = 1024 }, or correct the expression");
    }
  }
}

CaseSpec read_case(const TomlReader& table, const CasesSpec& cases, const Interface& interface) {
  table.allow_only({"name", "role", "sizes", "inputs", "expected", "seed", "tolerance", "backends", "cache", "weight"});
  CaseSpec one;
  one.name = read_case_name(table.require("name", "add name = \"odd\""));
  one.where = table.path() + ":" + std::to_string(table.line()) + ": case " + kgate::quoted(one.name);
  if (const auto role = table.find("role")) {
    one.role = static_cast<CaseRole>(role->choice({"correctness", "performance", "holdout"}));
  }
  if (const auto sizes = table.find("sizes")) one.sizes = read_sizes(*sizes);
  check_sizes(cases, one);
  read_inputs(table, cases.folder, interface, one);
  read_expected(table, cases.folder, cases, one);
  if (const auto seed = table.find("seed")) one.seed = read_seed(*seed);
  read_tolerances(table, cases.params, one);
  if (const auto backends = table.find("backends")) one.backends = read_backends(*backends);
  if (const auto cache = table.find("cache")) one.cold = cache->choice({"warm", "cold"}) == 1;
  if (const auto weight = table.find("weight")) one.weight = read_weight(*weight);
  return one;
}

void read_work(const TomlReader& table, CasesSpec& cases) {
  table.allow_only({"bytes", "flops"});
  if (const auto bytes = table.find("bytes")) cases.work_bytes = read_expression(*bytes);
  if (const auto flops = table.find("flops")) cases.work_flops = read_expression(*flops);
}

}  // namespace

CasesSpec parse_cases(std::string_view text, const std::string& path) {
  const TomlDocument document(text, path);
  const TomlReader root = document.root();
  check_schema(root, "kgate.cases/1");
  root.allow_only({"schema", "kernel", "revision", "param", "reference", "work", "case"});
  CasesSpec cases;
  cases.path = path;
  cases.folder = parent_of(path);
  cases.kernel = read_kernel_name(root.require("kernel", "add kernel = \"name\", unique in the repository"));
  if (const auto revision = root.find("revision")) {
    cases.revision = revision->integer();
    if (cases.revision < 1) revision->fail("must be 1 or more");
  }
  Interface interface = read_interface(root, cases.folder);
  cases.params = interface.params;
  if (const auto reference = root.find("reference"))
    cases.reference = read_reference(*reference, cases.folder, cases.params);
  if (const auto work = root.find("work")) read_work(*work, cases);
  std::set<std::string> names;
  for (const TomlReader& table : root.list("case", kMostCases)) {
    CaseSpec one = read_case(table, cases, interface);
    if (!names.insert(one.name).second)
      table.require("name", "").fail(kgate::quoted(one.name) + " is there twice", "rename one of them");
    cases.cases.push_back(std::move(one));
  }
  if (cases.cases.empty()) {
    throw Error(ErrorKind::usage, root.where("case"), "is missing", "add [[case]] with sizes, inputs and a tolerance");
  }
  return cases;
}

}  // namespace kgate::cases
