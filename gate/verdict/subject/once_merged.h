#pragma once

#include <string>
#include <vector>

#include "base/file_tree.h"
#include "gate/trust/authority.h"

namespace kgate::verdict {

struct OnceMergedOptions {
  const trust::Authority* authority = nullptr;
  const FileTree* working = nullptr;  // with the policy and the keys to be
  std::string day;                    // today, for the dates of keys
  unsigned threads = 1;
};

// What would no longer hold by the policy and the keys of the working tree: "once merged, kgate/ledger is untrusted:
// ...". By those of the base all of it may hold, so that a change of them is green, and what comes after it is red.
std::vector<std::string> once_merged(const OnceMergedOptions& options);

}  // namespace kgate::verdict
