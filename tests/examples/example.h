#pragma once

#include <string>
#include <vector>

#include "base/file_tree.h"
#include "gate/cases/case_spec.h"
#include "gate/cases/kernel_spec.h"

// The repository of examples, as the tests see it.
namespace example {

struct Example {
  std::string name;  // the folder's
  kgate::cases::KernelSpec kernel;
  kgate::cases::CasesSpec cases;
};

// examples/ of the source tree.
const kgate::FolderTree& tree();

// Every kernel beneath examples/kernels, in the order of their names.
std::vector<Example> all();

// A file's text, or a failed test.
std::string text_of(const std::string& path);

}  // namespace example
