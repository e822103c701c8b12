#pragma once

#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/toml_reader.h"
#include "gate/cases/expression.h"
#include "gate/cases/kernel_spec.h"
#include "gate/cases/sources.h"

// What kernel.toml and the [reference] of cases.toml have in common. `folder` is the file's own, beneath which relative
// paths begin.
namespace kgate::cases {

// The keys of a source set: kind, sources, headers, include_dirs, std, options, defines, arch.
SourceSet read_source_set(const TomlReader& table, const std::string& folder);
// The key `launch`, or, where `short_form` allows it, entry, grid, block and shared in the table itself.
std::vector<LaunchSpec> read_launches(const TomlReader& table, bool short_form);
std::vector<WorkspaceSpec> read_workspaces(const TomlReader& table);

// An integer or a string, not evaluated.
Expression read_expression(const TomlReader& value);
std::vector<Expression> read_shape(const TomlReader& value);
DType read_dtype(const TomlReader& value);
// A name that expressions and sources can use.
std::string read_identifier(const TomlReader& value);
// The path beneath the repository; what is wrong with it is told with the key's place.
std::string read_path(const TomlReader& value, const std::string& folder);
// The value of a define as the compiler sees it: 256, text, true -> 1, 0.5.
std::string read_define(const TomlReader& value);

}  // namespace kgate::cases
