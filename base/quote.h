#pragma once

#include <string>
#include <string_view>

namespace kgate {

// Text from a file, fit for one line of a message: in quotes, control characters as \xNN, cut where it is long.
std::string quoted(std::string_view text);

// A C identifier: what sizes, defines, parameters and workspaces are called, so that expressions and sources can name
// them.
bool is_identifier(std::string_view text);

// What a kernel may be called: letters, digits, '_', '-' and '.', at most 100, the first neither '-' nor '.'. It names
// files and branches too.
bool is_kernel_name(std::string_view text);

}  // namespace kgate
