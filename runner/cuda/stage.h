#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"

namespace kgate::runner::cuda {

// The declared files of a kernel in a private folder, in the repository's own shape, so that an include like
// "../common/x.cuh" resolves as it does on disk and nothing undeclared lies beside it.
//
// Each file begins with a #line directive that names it as the repository does. So the compiler's messages, __FILE__
// and assert() name kernels/softmax.cu, not the folder's random path, and the machine code is the same from any folder.
class Stage {
 public:
  // Throws Error(usage) for a path that leaves the tree, Error(environment) where the folder cannot be written.
  explicit Stage(const std::map<std::string, Bytes>& files);

  std::string root() const { return folder_.path().string(); }
  std::string path(const std::string& in_repository) const { return (folder_.path() / in_repository).string(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace kgate::runner::cuda
