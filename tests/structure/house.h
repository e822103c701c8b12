#pragma once

#include <string>
#include <vector>

#include "base/file_tree.h"

// The house of the design: folders are floors, and an #include may only point to the same folder or to a floor below.
namespace kgate::structure {

// Every include of the tree that points up, sideways, to no folder of the house or to no file, as "path:line: why",
// sorted by path. `generated` are headers that the build makes.
std::vector<std::string> wrong_includes(const FileTree& tree, const std::vector<std::string>& generated);

// Every place outside gate/cli that reads an environment variable, as "path:line: text". What a run depends on comes in
// through its options, so that a result can be repeated.
std::vector<std::string> environment_reads(const FileTree& tree);

// How many files of the house were looked at: a check that looks at nothing passes too.
std::size_t house_files(const FileTree& tree);

}  // namespace kgate::structure
