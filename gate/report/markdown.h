#pragma once

#include <cstddef>
#include <string>

#include "gate/verdict/result/result.h"

namespace kgate::report {

struct MarkdownLimits {
  std::size_t bytes = 900 << 10;  // a step's summary may have 1 MiB on GitHub
};

// The verdict in one sentence, the command that repeats it, a table of cases with the worst first; then what was found,
// folded. What does not fit is cut from the end, which is what passed, and a line says so.
std::string write_markdown(const verdict::Result& result, const MarkdownLimits& limits);
// summary.md.
std::string write_summary(const verdict::Result& result);
// For a comment under a change: less than 60,000 bytes, GitHub takes 65,536 characters.
std::string write_comment(const verdict::Result& result);

}  // namespace kgate::report
