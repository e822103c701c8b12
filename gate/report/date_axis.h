#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kgate::report {

struct DateTick {
  std::int64_t day = 0;  // from 1970-01-01
  std::string words;     // "2026-03-02", "2026-03", "2026"
};

// At most four, on days, on the first of months or of years: whichever fits these days. At least one.
std::vector<DateTick> date_ticks(std::int64_t first, std::int64_t last);

}  // namespace kgate::report
