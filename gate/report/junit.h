#pragma once

#include <string>

#include "gate/verdict/result/result.h"

namespace kgate::report {

// junit.xml, as GitLab's and GitHub's readers know it (its schema: tests/report/junit.xsd): a suite a kernel, a test a
// case. A failure is what the kernel does and the profile blocks on; an error what kept kgate from judging; skipped
// what was not run, or does not block. What is about a kernel, and not about one of its cases, is a test called
// "kernel"; about the run, one called "run".
std::string write_junit(const verdict::Result& result);

}  // namespace kgate::report
