#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/file_tree.h"
#include "gate/cases/case_spec.h"

namespace kgate::cases {

// Every file that says what is right: cases.toml itself, the reference's sources and headers, expected outputs, inputs
// from files. Paths from the root of the tree, sorted, each once. Whether data files are there is for those who read
// them; throws as read_sources for sources and headers that are not.
std::vector<std::string> files_of(const CasesSpec& cases, const FileTree& tree);

// A file as a statement about `cases` names it, from the folder of cases.toml: "reference.cu", "../common/x.cuh".
std::string name_in(const CasesSpec& cases, const std::string& path);

// The kernels of a tree, by name, with the paths of their cases.toml: beside each kernel.toml that one of the policy's
// patterns matches. Reads no more of a file than the kernel's name. Throws Error(usage) where a kernel.toml has no
// cases.toml, one is not TOML or names no kernel, and where two have one name.
std::map<std::string, std::string> find_cases(const FileTree& tree, const std::vector<std::string>& kernel_patterns);

// The name that a cases.toml gives its kernel, and no more of it. Throws Error(usage) where there is none.
std::string kernel_name_in(const FileTree& tree, const std::string& path);

constexpr std::uint64_t kMostCasesBytes = 1u << 20;  // of cases.toml

}  // namespace kgate::cases
