#include "gate/report/date_axis.h"

#include <chrono>

#include "gate/drift/drift.h"

namespace kgate::report {
namespace {

constexpr std::int64_t kMost = 4, kMostDays = 3;  // of which none is over another on a phone
constexpr std::int64_t kShort = 75;               // days, of which months would be too few

// Months from the year 0.
std::int64_t month_of(std::int64_t day) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  return static_cast<int>(date.year()) * std::int64_t{12} + static_cast<unsigned>(date.month()) - 1;
}

std::int64_t first_day_of(std::int64_t month) {
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(month / 12)},
                                         std::chrono::month{static_cast<unsigned>(month % 12 + 1)},
                                         std::chrono::day{1}};
  return std::chrono::sys_days{date}.time_since_epoch().count();
}

std::vector<DateTick> on_days(std::int64_t first, std::int64_t last) {
  std::vector<DateTick> ticks;
  const std::int64_t step = 1 + (last - first) / kMostDays;
  for (std::int64_t day = first + (step - 1) / 2; day <= last; day += step)
    ticks.push_back({day, drift::day_text(day)});
  return ticks;
}

}  // namespace

std::vector<DateTick> date_ticks(std::int64_t first, std::int64_t last) {
  if (last - first < kShort) return on_days(first, last);
  const std::int64_t begin = month_of(first - 1) + 1, end = month_of(last);
  std::int64_t step = 1;
  for (const std::int64_t months : {1, 2, 3, 6, 12, 24, 36, 60, 120, 240, 600, 1200, 3000, 12000, 120000}) {
    step = months;
    if ((end - begin) / step < kMost) break;
  }
  std::vector<DateTick> ticks;
  for (std::int64_t month = (begin + step - 1) / step * step; month <= end; month += step) {
    const std::int64_t day = first_day_of(month);
    ticks.push_back({day, drift::day_text(day).substr(0, step < 12 ? 7 : 4)});
  }
  return ticks.empty() ? on_days(first, last) : ticks;
}

}  // namespace kgate::report
