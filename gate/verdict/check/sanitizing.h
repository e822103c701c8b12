#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fingerprint/compute_sanitizer.h"
#include "gate/sanitize/finding.h"
#include "gate/verdict/compile/compiler.h"
#include "gate/verdict/result/result.h"
#include "gate/verdict/subject/subject.h"

namespace kgate::verdict {

struct SanitizeOptions {
  fingerprint::ComputeSanitizer program;
  runner::ClientOptions child;  // its observer is set here
  std::uint64_t seed = 0;       // of the run
  unsigned threads = 1;         // for making inputs
  // Seconds for the tool to start the child; for a kernel, slower under a tool by a factor of ten to a hundred; for the
  // tool to write its report.
  double start_limit_s = 120, run_limit_s = 600, end_limit_s = 120;
  std::filesystem::path scratch;
  std::function<void(const std::string&)> on_case;  // progress: "memcheck: odd"; may be empty
};

// What the tools found of one kernel.
struct Sanitized {
  std::vector<sanitize::Finding> findings;
  std::string trouble;  // why some tool's silence proves nothing: "memcheck: case \"odd\": ..."; empty: all ran
};

// The candidates' code with line numbers; equal to what is checked and timed but for them. Null where it does not
// compile so, or is of the user's own build.
std::vector<Artifact> compile_with_lines(const std::vector<const Subject*>& subjects, const CompilerOptions& options);

// Runs the correctness cases of a candidate under each of compute-sanitizer's tools, on the inputs that it is checked
// with, each case in a process of its own; after a tool's first case with an error it goes on to the next tool. Where a
// kernel has performance cases alone, those are run.
Sanitized sanitize_kernel(const Subject& subject, const Artifact& code, const SanitizeOptions& options);

// Adds them to the cases' verdicts: an error makes a case wrong, with the place. Warnings are the kernel's.
void add_sanitized(KernelResult& kernel, const Sanitized& sanitized);

}  // namespace kgate::verdict
