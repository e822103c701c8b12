#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kgate::runner::host {

// The files of runner/host/include, by name; written by CMake.
const std::map<std::string, std::string_view>& embedded_headers();

}  // namespace kgate::runner::host
