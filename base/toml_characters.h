#pragma once

#include <string>
#include <string_view>

namespace kgate {

// Throws Error(usage), with path and line, where a TOML text has a character beyond ASCII outside of its strings and
// comments, or where white space is looked for inside of a string. TOML allows none there, and toml++ 3.3 asks of each
// whether it is a space in a way that ends in undefined behaviour (found by tests/fuzz).
void check_toml_characters(std::string_view text, const std::string& path);

}  // namespace kgate
