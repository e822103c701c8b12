#pragma once

#include <ctime>
#include <string>

namespace kgate {

// "2026-11-29T22:55:27Z": in the order of their letters.
std::string utc_time(std::time_t when);
// "2026-11-29".
inline std::string utc_day(std::time_t when) {
  return utc_time(when).substr(0, 10);
}

}  // namespace kgate
