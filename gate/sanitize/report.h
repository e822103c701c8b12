#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gate/sanitize/finding.h"

namespace kgate::sanitize {

struct Report {
  std::vector<Finding> findings;  // without kernel and case; equal ones together
  std::string trouble;            // why it proves nothing; empty: the tool ran to its end
};

// The text that compute-sanitizer prints (CUDA 11 to 13). `files`: of the kernel, from the repository's root; of a
// device-side stack the innermost place in one of them counts. Errors that the tool has counted and this cannot read
// are a finding too: a report is never taken for clean because its form has changed.
Report read_report(std::string_view text, const std::string& tool, const std::vector<std::string>& files);

}  // namespace kgate::sanitize
