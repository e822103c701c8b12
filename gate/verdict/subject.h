#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_tree.h"
#include "gate/cases/case_spec.h"
#include "gate/cases/kernel_spec.h"
#include "gate/trust/policy.h"

namespace kgate::verdict {

// One version of a kernel: what it declares and the bytes of the files that it declares.
struct Version {
  cases::KernelSpec spec;
  std::map<std::string, Bytes> files;
  std::string digest;  // SHA-256 over kernel.toml and the files
};

// One kernel of a run. What is right (cases) comes from the base commit where the base knows the kernel; what is judged
// from the working tree.
struct Subject {
  std::string name, path;  // identity (cases.toml), kernel.toml's path
  cases::CasesSpec cases;
  std::string cases_digest;
  std::shared_ptr<const FileTree> cases_tree;  // where references, data and expected outputs are read
  Version candidate;
  std::optional<Version> base;
  std::vector<std::string> warnings;
};

struct Suite {
  std::vector<Subject> subjects;      // by name
  std::vector<std::string> vanished;  // kernels that the base has and the working tree has not
};

struct SuiteOptions {
  std::shared_ptr<const FileTree> working, base;  // base: may be null
  std::string base_name;                          // for messages: "1a2b3c4d5e (origin/main)"
  bool base_decides = true;  // false outside CI without a ref: cases of the working tree count, with a warning
  const trust::Policy* policy = nullptr;
  std::vector<std::string> selection;  // names or patterns; empty: all
};

// Finds, selects and reads the kernels. Throws Error(missing) where nothing is there or nothing was selected (with the
// nearest name), Error(usage) for files that do not hold, for two kernels of one name, for options and tokens that the
// policy forbids.
Suite read_suite(const SuiteOptions& options);

}  // namespace kgate::verdict
