#pragma once

#include <map>
#include <string>

namespace kgate::search {

// The text of a kernel.toml with these defines at these values, each one of those that its [tunables] list, and every
// other character as it was: comments are why somebody chose what is there, and a patch should show the change alone.
// The value is written as the list writes it. Throws Error(usage, ...) for a name that is not tunable, and for a value
// that is not in its list.
std::string with_defines(std::string text, const std::string& path, const std::map<std::string, std::string>& values);

}  // namespace kgate::search
