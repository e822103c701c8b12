#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgate::sanitize {

struct Place {
  std::string file;
  std::int64_t line = 0;
};

// Where a line of a report points: "at f(int *)+0x70 in x.cu:41", with "[4 hazards]" behind it, or, of CUDA 11 and
// early 12, "at 0x70 in x.cu:41:f(int *)".
std::optional<Place> place_in(std::string_view line);

// The one of `files` that a path in a report means: the compiler may have put a folder before it, the tool may have
// left its folders out.
std::optional<std::string> own_file(const std::string& path, const std::vector<std::string>& files);

}  // namespace kgate::sanitize
