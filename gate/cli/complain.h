#pragma once

#include <string>

#include "base/error.h"

namespace kgate::cli {

// An error as kgate tells it: "subject: fact; remedy", neutral, and one line for whoever reads logs line by line (a
// fact may quote a compiler: its further lines are indented). Gets a remedy here where nobody below had a better one.
std::string complaint(const Error& error);

}  // namespace kgate::cli
