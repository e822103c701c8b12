#pragma once

#include <string>
#include <vector>

#include "gate/verdict/compile/baseline.h"
#include "gate/verdict/result/result.h"
#include "runner/client.h"

namespace kgate::verdict {

struct DisassemblyOptions {
  runner::ClientOptions child;  // as of a child that compiles
  std::string program;          // nvdisasm's path; empty: there is none
  unsigned parallel = 1;        // children at once
};

// Counts the instructions of changed kernels and of the versions that they are compared with, each piece of machine
// code once, in a sandboxed child, and puts them into the kernels' diffs; what cannot be counted says why. `code` and
// `baselines`: of the first so many kernels. For when nothing is timed any more. Throws Error(interrupted) alone.
void add_machine_code(std::vector<KernelResult>& kernels, const std::vector<Artifacts>& code,
                      const std::vector<std::vector<Baseline>>& baselines, const DisassemblyOptions& options);

}  // namespace kgate::verdict
