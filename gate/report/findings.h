#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gate/verdict/result/result.h"

// What was found, in the order and in the words that every report tells it.
namespace kgate::report {

// Kernels that did not pass, the worst first.
struct Findings {
  std::vector<const verdict::KernelResult*> blocking, other;
};
Findings findings_of(const verdict::Result& result);

// Cases that have something to tell: neither passed nor merely new.
bool is_told(const verdict::CaseResult& one);
// They, the worst first, and of equal verdicts the slowest.
std::vector<const verdict::CaseResult*> told_cases(const verdict::KernelResult& kernel);
// The judge gives a kernel the reason of its first bad case: where that case is told, it is told once.
bool told_by_case(const verdict::KernelResult& kernel);

// " (exit code 1): slower than the policy allows, ...": what follows the name of the verdict that decides.
std::string after_verdict(const verdict::Result& result);
// "base (bbbbbbbbbb)", "accepted (record 11, recorded)".
std::string version_words(const verdict::Comparison& one);
// A case's times beside the version that its verdict comes from, else beside the first. Nothing: it was not timed.
struct Beside {
  std::string version;  // as version_words; empty: not told
  double before_us = 0, candidate_us = 0, ratio = 1, low = 1, high = 1;
  bool decides = true;  // the verdict comes from it; not where the toolkit alone made it slower
};
std::optional<Beside> beside(const verdict::KernelResult& kernel, const verdict::CaseResult& one);
// "+6.1 % [+5.9, +6.3] against base (bbbbbbbbbb)", where that is what the verdict comes from; else empty.
std::string change_words(const verdict::KernelResult& kernel, const verdict::CaseResult& one);
// "regressed, 88.50 -> 93.90 µs, +6.1 % [+5.9, +6.3]: slower than ...", after the case's name and sizes.
std::string case_words(const verdict::CaseResult& one);
// "y[3, 17]: expected 0.0123, got 0.0456 (12 of 1147 elements differ, ...)": an output each.
std::vector<std::string> mismatch_lines(const verdict::CaseResult& one);

}  // namespace kgate::report
