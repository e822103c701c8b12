#include "gate/cases/job.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/quote.h"
#include "gate/cases/values.h"

namespace kgate::cases {
namespace {

constexpr std::int64_t kMostExtent = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 53;

[[noreturn]] void fail(const std::string& where, const std::string& fact, const std::string& hint = {}) {
  throw Error(ErrorKind::usage, where, fact, hint);
}

// The define's value where it is an integer: only those can stand in expressions.
std::optional<std::int64_t> integer_of(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What a version's own expressions see.
class Scope {
 public:
  Scope(const CaseSpec& one, const VersionSpec& version) : variables_(one.sizes), defines_(*version.defines) {
    for (const auto& [name, text] : defines_) {
      if (one.sizes.count(name) != 0) {
        fail(version.where + ": defines." + name, "is also a size of " + one.where, "rename the define");
      }
      if (const auto value = integer_of(text)) variables_.emplace(name, *value);
    }
  }

  std::int64_t value(const Expression& expression) const {
    for (const std::string& name : names_in(expression)) {
      const auto define = defines_.find(name);
      if (define != defines_.end() && variables_.count(name) == 0) {
        fail(expression.where,
             kgate::quoted(expression.text) + " has " + kgate::quoted(name) + ", which is defined as " +
                 kgate::quoted(define->second) + " and not as an integer",
             "use an integer, or sizes");
      }
    }
    return evaluate(expression, variables_);
  }

 private:
  Variables variables_;
  const std::map<std::string, std::string>& defines_;
};

std::uint64_t extent_of(const Expression& expression, std::int64_t value) {
  if (value < 0 || value > kMostExtent) {
    fail(expression.where, fmt::format("{} is {}", kgate::quoted(expression.text), value),
         "an extent is between 0 and 2^31-1");
  }
  return static_cast<std::uint64_t>(value);
}

Shape shape_of(const std::vector<Expression>& extents, const Scope& scope) {
  Shape shape;
  for (const Expression& extent : extents) shape.push_back(extent_of(extent, scope.value(extent)));
  return shape;
}

Shape shape_of(const ParamSpec& param, const Variables& sizes) {
  Shape shape;
  for (const Expression& extent : param.shape) shape.push_back(extent_of(extent, evaluate(extent, sizes)));
  return shape;
}

std::uint64_t bytes_of_shape(const Shape& shape, DType dtype, const std::string& where) {
  const std::uint64_t count = element_count(shape, where);
  if (count > kMostBytes / size_of(dtype)) {
    fail(where, fmt::format("shape [{}] of {} has more than 2^53 bytes", fmt::join(shape, ", "), name_of(dtype)),
         "make it smaller");
  }
  return count * size_of(dtype);
}

Bytes scalar_bytes(const ParamSpec& param, const Variables& sizes) {
  Bytes bytes(size_of(param.dtype));
  if (const auto* number = std::get_if<double>(&param.value)) {
    store_element(param.dtype, *number, bytes.data());
    return bytes;
  }
  const auto& expression = std::get<Expression>(param.value);
  // A plain integer is taken as it is: an i64 may be beyond the 2^53 of expressions.
  const auto plain = integer_of(expression.text);
  const std::int64_t value = plain ? *plain : evaluate(expression, sizes);
  if (!store_integer(param.dtype, value, bytes.data())) {
    fail(expression.where,
         fmt::format("{} is {}, which does not fit {}", kgate::quoted(expression.text), value, name_of(param.dtype)),
         "use a wider type, or smaller sizes");
  }
  return bytes;
}

runner::BufferRole role_of(ParamKind kind) {
  if (kind == ParamKind::in) return runner::BufferRole::input;
  return kind == ParamKind::out ? runner::BufferRole::output : runner::BufferRole::inout;
}

// Arguments by name: buffers of parameters and workspaces, scalars by value.
class Arguments {
 public:
  void add_buffer(const std::string& name, std::size_t index, const std::string& where) {
    runner::Argument argument;
    argument.buffer = static_cast<std::uint32_t>(index);
    add(name, std::move(argument), where);
  }
  void add_scalar(const std::string& name, Bytes value, const std::string& where) {
    runner::Argument argument;
    argument.scalar = std::move(value);
    add(name, std::move(argument), where);
  }

  std::vector<runner::Argument> select(const LaunchSpec& launch, const std::vector<ParamSpec>& params) const {
    std::vector<runner::Argument> arguments;
    if (launch.arguments) {
      for (std::size_t i = 0; i < launch.arguments->size(); ++i) {
        arguments.push_back(find((*launch.arguments)[i], fmt::format("{}.args[{}]", launch.where, i)));
      }
    } else {
      for (const ParamSpec& param : params) arguments.push_back(by_name_.at(param.name));
    }
    return arguments;
  }

 private:
  void add(const std::string& name, runner::Argument argument, const std::string& where) {
    if (!by_name_.emplace(name, std::move(argument)).second) {
      fail(where, kgate::quoted(name) + " is also the name of a parameter", "rename the workspace");
    }
  }

  const runner::Argument& find(const std::string& name, const std::string& where) const {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return found->second;
    std::vector<std::string> names;
    std::string list;
    for (const auto& [known, argument] : by_name_) {
      names.push_back(known);
      list += (list.empty() ? "" : ", ") + known;
    }
    const auto near = nearest(name, names);
    fail(where, kgate::quoted(name) + " is neither a parameter nor a workspace",
         near ? "did you mean \"" + *near + "\"?" : "known names: " + list);
  }

  std::map<std::string, runner::Argument> by_name_;
};

std::uint32_t within(const Expression& expression, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) {
    fail(expression.where, fmt::format("{} is {}", kgate::quoted(expression.text), value),
         fmt::format("it must be between {} and {}", least, most));
  }
  return static_cast<std::uint32_t>(value);
}

using Triple = std::array<std::uint32_t, 3>;

Triple triple_of(const std::array<Expression, 3>& expressions, const Scope& scope, std::int64_t least,
                 const std::array<std::int64_t, 3>& most) {
  Triple result{};
  for (std::size_t i = 0; i < 3; ++i) result[i] = within(expressions[i], scope.value(expressions[i]), least, most[i]);
  return result;
}

void check_cluster(const LaunchSpec& spec, const runner::Launch& launch) {
  const Triple& cluster = *launch.cluster;
  if (cluster[0] * cluster[1] * cluster[2] > 16) {
    fail(spec.where + ".cluster", "has more than 16 blocks", "make it smaller");
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (launch.grid[i] % cluster[i] != 0) {
      fail(spec.grid[i].where,
           fmt::format("is {}, which is no multiple of the cluster's {}", launch.grid[i], cluster[i]),
           "use round_up(..., cluster)");
    }
  }
}

runner::Launch launch_of(const LaunchSpec& spec, const VersionSpec& version, const Scope& scope) {
  runner::Launch launch;
  launch.entry = substitute_defines(spec.entry, *version.defines);
  launch.grid = triple_of(spec.grid, scope, 0, {kMostExtent, 65535, 65535});
  launch.block = triple_of(spec.block, scope, 1, {1024, 1024, 64});
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads > 1024) fail(spec.where + ".block", fmt::format("has {} threads", threads), "a block has at most 1024");
  launch.shared_bytes = within(spec.shared, scope.value(spec.shared), 0, kMostExtent);
  if (spec.cluster) {
    launch.cluster = triple_of(*spec.cluster, scope, 1, {16, 16, 16});
    check_cluster(spec, launch);
  }
  launch.cooperative = spec.cooperative;
  return launch;
}

bool launches_nothing(const runner::Launch& launch) {
  return std::count(launch.grid.begin(), launch.grid.end(), 0U) != 0;
}

}  // namespace

VersionSpec version_of(const KernelSpec& kernel) {
  return {&kernel.launches, &kernel.workspaces, &kernel.sources.defines, nullptr, kernel.path};
}

VersionSpec version_of(const ReferenceSpec& reference) {
  return {&reference.launches, &reference.workspaces, &reference.sources.defines, &reference.out_dtype,
          reference.where};
}

Binding bind(const CasesSpec& cases, const CaseSpec& one, const VersionSpec& version) {
  const Scope scope(one, version);
  Binding binding;
  Arguments arguments;
  for (const ParamSpec& param : cases.params) {
    if (param.kind == ParamKind::scalar) {
      arguments.add_scalar(param.name, scalar_bytes(param, one.sizes), param.where);
      continue;
    }
    DType dtype = param.dtype;
    if (version.out_dtype != nullptr && version.out_dtype->count(param.name) != 0)
      dtype = version.out_dtype->at(param.name);
    const Shape shape = shape_of(param, one.sizes);
    arguments.add_buffer(param.name, binding.buffers.size(), param.where);
    const bool zeroed = param.zeroed && param.kind == ParamKind::out;  // an inout's zeros are its content (make_inputs)
    binding.buffers.push_back(
        {param.name, role_of(param.kind), dtype, bytes_of_shape(shape, dtype, param.where), zeroed});
    binding.shapes.push_back(shape);
  }
  for (const WorkspaceSpec& workspace : *version.workspaces) {
    const Shape shape = shape_of(workspace.shape, scope);
    arguments.add_buffer(workspace.name, binding.buffers.size(), workspace.where);
    binding.buffers.push_back({workspace.name, runner::BufferRole::workspace, workspace.dtype,
                               bytes_of_shape(shape, workspace.dtype, workspace.where), workspace.zeroed});
    binding.shapes.push_back(shape);
  }
  for (const LaunchSpec& spec : *version.launches) {
    runner::Launch launch = launch_of(spec, version, scope);
    launch.arguments = arguments.select(spec, cases.params);
    if (!launches_nothing(launch)) binding.launches.push_back(std::move(launch));
  }
  return binding;
}

std::uint64_t buffer_bytes(const CasesSpec& cases, const CaseSpec& one) {
  std::uint64_t total = 0;
  for (const ParamSpec& param : cases.params) {
    if (param.kind == ParamKind::scalar) continue;
    total = std::min(total + bytes_of_shape(shape_of(param, one.sizes), param.dtype, param.where), kMostBytes);
  }
  return total;
}

std::map<std::uint32_t, Tensor> make_inputs(const CasesSpec& cases, const CaseSpec& one, std::uint64_t seed,
                                            unsigned threads, const FileTree& tree) {
  std::map<std::uint32_t, Tensor> inputs;
  std::uint32_t buffer = 0;
  for (std::size_t i = 0; i < cases.params.size(); ++i) {
    const ParamSpec& param = cases.params[i];
    if (param.kind == ParamKind::scalar) continue;
    const std::uint32_t index = buffer++;
    if (param.kind == ParamKind::out) continue;
    Generator zeros;
    zeros.kind = Generator::Kind::constant;
    zeros.a = 0;
    zeros.where = param.where;
    const auto given = one.inputs.find(param.name);
    if (given == one.inputs.end() && !param.zeroed)
      fail(one.where, "generator for " + kgate::quoted(param.name) + " is missing");
    const Generator& generator = given == one.inputs.end() ? zeros : given->second;
    inputs.emplace(index, generate(generator, {param.dtype, shape_of(param, one.sizes), seed, i, threads}, tree));
  }
  return inputs;
}

std::vector<std::string> entries_of(const VersionSpec& version) {
  std::vector<std::string> entries;
  for (const LaunchSpec& launch : *version.launches) {
    const std::string entry = substitute_defines(launch.entry, *version.defines);
    if (std::find(entries.begin(), entries.end(), entry) == entries.end()) entries.push_back(entry);
  }
  return entries;
}

}  // namespace kgate::cases
