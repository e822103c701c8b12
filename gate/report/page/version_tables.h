#pragma once

#include <string>

#include "gate/verdict/result/result.h"

namespace kgate::report {

// Which versions a kernel was compared with: commits, records and who signed them, and what came out.
std::string comparison_table(const verdict::KernelResult& kernel);
// What each costs a thread, a block, a file.
std::string resource_table(const verdict::KernelResult& kernel);
// Instructions by kind, each version beside the candidate.
std::string machine_code_table(const verdict::KernelResult& kernel);
// Options, launches, the growth of the error and the source, against the base and against what was accepted, and the
// machine that measured that. Sources are long: a fold each, open where `open`.
std::string difference_blocks(const verdict::KernelResult& kernel, bool open);

}  // namespace kgate::report
