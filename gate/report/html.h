#pragma once

#include <cstddef>
#include <string>

namespace kgate::report {

// Foreign text for HTML that is XML too, between tags and in attributes: on one line, neutral (report.h), cut at
// `width` columns, and nothing in it is markup.
std::string escaped(const std::string& text, std::size_t width = 300);

}  // namespace kgate::report
