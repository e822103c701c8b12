#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kgate::search {

// Foreign text, fit for one line of a message: UTF-8, every run of white space and control characters one space, cut
// at `most` bytes with "..." where it is longer.
std::string one_line(std::string_view text, std::size_t most = 300);

// Foreign text, fit for a prompt: UTF-8, the beginning and the end of it where it is longer than `most` bytes.
std::string excerpt(std::string_view text, std::size_t most);

}  // namespace kgate::search
