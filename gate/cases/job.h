#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/file_tree.h"
#include "base/tensor.h"
#include "gate/cases/case_spec.h"
#include "gate/cases/kernel_spec.h"
#include "runner/job.h"

// From the two files to what a child can do: every expression worked out for one case.
namespace kgate::cases {

// The parameters' buffers come first, in the order of cases.toml (scalars have none), then the workspaces of the
// version.
struct Binding {
  std::vector<runner::Buffer> buffers;
  std::vector<Shape> shapes;  // one a buffer
  runner::Launches launches;
};

// Which version is bound. A candidate's expressions see the sizes and its own defines; the interface's see sizes only.
struct VersionSpec {
  const std::vector<LaunchSpec>* launches = nullptr;
  const std::vector<WorkspaceSpec>* workspaces = nullptr;
  const std::map<std::string, std::string>* defines = nullptr;
  const std::map<std::string, DType>* out_dtype = nullptr;  // a reference's wider outputs; null for candidates
  std::string where;                                        // the file that declares it, for messages
};
VersionSpec version_of(const KernelSpec& kernel);
VersionSpec version_of(const ReferenceSpec& reference);

// Throws Error(usage) with file and line: an argument that no parameter or workspace has, a grid, block or shape that
// is negative or over 2^31-1 (CUDA's limits: grid.x < 2^31, grid.y and z < 65536, block at most 1024 threads), a byte
// count over 2^53.
Binding bind(const CasesSpec& cases, const CaseSpec& one, const VersionSpec& version);

// The bytes of a case's buffers, without workspaces; for estimates: 2^53 where
// they are more. Throws as bind.
std::uint64_t buffer_bytes(const CasesSpec& cases, const CaseSpec& one);

// The contents of "in" and "inout" parameters, by the buffer's index.
std::map<std::uint32_t, Tensor> make_inputs(const CasesSpec& cases, const CaseSpec& one, std::uint64_t seed,
                                            unsigned threads, const FileTree& tree);

// The distinct entries of a version, defines substituted.
std::vector<std::string> entries_of(const VersionSpec& version);

}  // namespace kgate::cases
