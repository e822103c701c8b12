#include "gate/cases/param_reader.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/quote.h"
#include "gate/cases/generator_reader.h"
#include "gate/cases/values.h"
#include "gate/cases/version_reader.h"

namespace kgate::cases {
namespace {

constexpr std::size_t kMostParams = 256;

void refuse(const TomlReader& table, const char* key, const std::string& fact, const std::string& hint) {
  if (const auto value = table.find(key)) value->fail(fact, hint);
}

void read_value(const TomlReader& value, ParamSpec& param) {
  if (value.is(TomlReader::Kind::number)) {
    if (!is_float(param.dtype)) {
      value.fail("must be an integer or an expression where dtype = \"" + std::string(name_of(param.dtype)) + "\"");
    }
    if (!fits(param.dtype, value.number()))
      value.fail("does not fit " + std::string(name_of(param.dtype)), "use a wider type");
    param.value = value.number();
  } else if (value.is(TomlReader::Kind::boolean) && param.dtype == DType::boolean) {
    param.value = Expression{value.boolean() ? "1" : "0", value.where()};
  } else {
    param.value = read_expression(value);
  }
}

void read_scalar(const TomlReader& table, ParamSpec& param) {
  for (const char* key : {"shape", "init", "deterministic"}) {
    refuse(table, key, "has no meaning for a scalar", "remove it");
  }
  read_value(table.require("value", "add value = \"rows\", an expression over sizes"), param);
}

void read_init(const TomlReader& init, const std::string& folder, const ParamSpec& param, Interface& interface) {
  if (!init.is(TomlReader::Kind::table)) return;
  if (param.kind == ParamKind::out)
    init.fail("is a generator for an output", "use kind = \"inout\", or init = \"zero\"");
  interface.initial.emplace(param.name, read_generator(init, param.dtype, folder));
}

void read_tensor(const TomlReader& table, ParamSpec& param) {
  refuse(table, "value", "has no meaning for a tensor", "use kind = \"scalar\", or give it a generator in inputs");
  param.shape = read_shape(table.require("shape", "add shape = [\"rows\", \"cols\"]"));
  if (param.kind == ParamKind::in) {
    refuse(table, "init", "has no meaning for an input", "give it a generator in the case's inputs");
    refuse(table, "deterministic", "has no meaning for an input", "remove it");
  }
  if (const auto init = table.find("init"); init && !init->is(TomlReader::Kind::table)) {
    init->choice({"zero"});
    param.zeroed = true;
  }
  if (const auto deterministic = table.find("deterministic")) param.deterministic = deterministic->boolean();
}

ParamSpec read_param(const TomlReader& table) {
  table.allow_only({"name", "kind", "dtype", "shape", "init", "deterministic", "value"});
  ParamSpec param;
  param.name = read_identifier(table.require("name", "add name = \"x\""));
  param.where = table.path() + ":" + std::to_string(table.line()) + ": param " + kgate::quoted(param.name);
  const std::size_t kind = table.require("kind", "add kind = \"in\", \"out\", \"inout\" or \"scalar\"")
                               .choice({"in", "out", "inout", "scalar"});
  param.kind = static_cast<ParamKind>(kind);
  param.dtype = read_dtype(table.require("dtype", "add dtype = \"f32\""));
  if (param.kind == ParamKind::scalar) {
    read_scalar(table, param);
  } else {
    read_tensor(table, param);
  }
  return param;
}

}  // namespace

Interface read_interface(const TomlReader& root, const std::string& folder) {
  Interface interface;
  std::set<std::string> names;
  for (const TomlReader& table : root.list("param", kMostParams)) {
    ParamSpec param = read_param(table);
    if (!names.insert(param.name).second) {
      table.require("name", "").fail(kgate::quoted(param.name) + " is declared twice", "rename one of them");
    }
    if (const auto init = table.find("init")) read_init(*init, folder, param, interface);
    interface.params.push_back(std::move(param));
  }
  const bool answers = std::any_of(interface.params.begin(), interface.params.end(), [](const ParamSpec& param) {
    return param.kind == ParamKind::out || param.kind == ParamKind::inout;
  });
  if (!answers) {
    throw Error(ErrorKind::usage, root.where("param"), "has no output", "add a [[param]] of kind \"out\" or \"inout\"");
  }
  return interface;
}

}  // namespace kgate::cases
