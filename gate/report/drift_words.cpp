#include "gate/report/drift_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/drift/events.h"
#include "gate/report/format.h"

namespace kgate::report {

std::string on_kernels(const drift::Event& event) {
  std::string text = event.kernels.size() == 1 && event.of_kernels > 1
                         ? event.kernels.front()
                         : fmt::format("{} of {}", event.kernels.size(), count(event.of_kernels, "kernel"));
  if (!event.bound.empty() && event.kernels.size() > 1) text += fmt::format(", {}-bound ones", event.bound);
  if (!event.bound.empty() && event.kernels.size() == 1) text += fmt::format(", {}-bound", event.bound);
  return text;
}

std::string sentence_of(const drift::Event& event) {
  const bool unexplained = event.cause != drift::Cause::version && event.differences.empty();
  std::string text =
      fmt::format("since the night of {}, with {}: {} on {}", drift::day_text(event.day),
                  unexplained ? "nothing that kgate records changed (the machine)" : drift::why_of(event),
                  change(event.ratio), on_kernels(event));
  if (event.kernels.size() > 1) text += fmt::format(" ({} to {})", change(event.lowest), change(event.highest));
  return text;
}

std::size_t days_of(const drift::Drift& drift) {
  std::size_t days = 0;
  for (std::size_t i = 0; i < drift.nights.size(); ++i) {
    if (i == 0 || drift.nights[i].day != drift.nights[i - 1].day) ++days;
  }
  return days;
}

std::string nights(const drift::Drift& drift) {
  const std::size_t days = days_of(drift);
  const std::string all = count(drift.nights.size(), "night");
  return days == drift.nights.size() ? all : fmt::format("{} on {}", all, count(days, "day"));
}

std::string held(const drift::Against* against) {
  if (against == nullptr) return "-";
  if (against->nights_then < 2 || against->nights_now < 2) return "too few nights";
  return change(against->ratio, against->low, against->high);
}

const drift::Against* find_against(const drift::Series& series, const std::string& what) {
  const auto found =
      std::find_if(series.against.begin(), series.against.end(), [&](const auto& one) { return one.what == what; });
  return found == series.against.end() ? nullptr : &*found;
}

}  // namespace kgate::report
