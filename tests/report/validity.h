#pragma once

#include <string>

// What is wrong with a report in this format; empty: nothing. A format that is not known here has to be clean text.
std::string fault_of(const std::string& format, const std::string& text);
