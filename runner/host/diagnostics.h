#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/job.h"

// What the C++ compiler said, in the words of the user's repository. Pure functions of its output.
namespace kgate::runner::host {

// Without kgate's own unit in "In file included from" chains, paths normalised ("a/../b.cuh" is "b.cuh"), cut at 64
// KiB.
std::string user_log(const std::string& output);

// Without the errors about entries and inside kgate's own headers that follow another error: its consequences, which
// nobody can act on.
std::string without_consequences(const std::string& log);

int count_warnings(const std::string& output);

// "k.cu:12: warp votes (__ballot_sync) are beyond the host backend; run this kernel on a GPU" where the first error
// stands for a part of CUDA that the subset leaves out, and not for a mistake.
std::optional<std::string> unsupported_feature(const CompileJob& job, const std::string& log);

// The message for an error in the descriptor of an entry: the sources do not define it, or not as a kernel.
std::optional<std::string> entry_error(const CompileJob& job, const std::string& log);

// The first error says that the C++ library's own headers are missing: the machine's fault, not the kernel's.
std::optional<std::string> broken_compiler(const std::string& log);

}  // namespace kgate::runner::host
