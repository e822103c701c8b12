#pragma once

#include <string>

#include "gate/verdict/result/result.h"

namespace kgate::report {

// What the searches found that a run began because kernels regressed. Foreign text is neutral. Empty: there was none.
// A line each, and how to take what was found.
std::string searches_text(const verdict::Result& result, std::size_t width);
// `patches`: with what there is of them.
std::string searches_markdown(const verdict::Result& result, bool patches);
std::string searches_html(const verdict::Result& result);

}  // namespace kgate::report
