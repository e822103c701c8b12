#include "gate/verdict/timing/watch_totals.h"

#include <algorithm>

#include <fmt/format.h>

namespace kgate::verdict {
namespace {

constexpr std::size_t kMaxKinds = 64;  // of causes; so many do not exist, but texts come from outside

}  // namespace

void WatchTotals::Extent::add(const std::optional<unsigned>& value) {
  if (!value) return;
  least = std::min(least.value_or(*value), *value);
  most = std::max(most.value_or(*value), *value);
}

void WatchTotals::add(const fingerprint::GpuState& state, std::size_t neighbours) {
  ++looks_;
  sm_clock_.add(state.sm_clock_mhz);
  memory_clock_.add(state.memory_clock_mhz);
  temperature_.add(state.temperature_c);
  power_.add(state.power_mw);
  throttle_reasons_.insert(state.throttle_reasons.begin(), state.throttle_reasons.end());
  most_neighbours_ = std::max(most_neighbours_, neighbours);
  if (!state.processes_unknown.empty()) neighbours_unknown_ = state.processes_unknown;
}

void WatchTotals::add_failure(const std::string& why) {
  ++failures_;
  failure_ = why;
}

void WatchTotals::add_dropped(const std::string& cause) {
  ++dropped_;
  const std::string kind = cause.substr(0, cause.find(':'));
  if (causes_.count(kind) == 0 && causes_.size() >= kMaxKinds) return;
  Cause& known = causes_[kind];
  ++known.times;
  known.text = cause;
}

Json WatchTotals::value(const Extent& extent) const {
  if (extent.least) return {{"min", *extent.least}, {"max", *extent.most}};
  if (looks_ == 0 && failures_ > 0) return "unknown, because " + failure_;
  return nullptr;
}

// None that was seen is none only where the driver tells.
Json WatchTotals::neighbours() const {
  if (looks_ == 0) return nullptr;
  if (most_neighbours_ == 0 && !neighbours_unknown_.empty()) return "unknown, because " + neighbours_unknown_;
  return most_neighbours_;
}

Json WatchTotals::json() const {
  Json json{{"clocks", Json::object()},
            {"temperature", value(temperature_)},
            {"power", value(power_)},
            {"throttle_reasons", throttle_reasons_},
            {"other_processes", neighbours()},
            {"dropped", dropped_},
            {"cause", ""}};
  if (looks_ + failures_ > 0) json["clocks"] = {{"sm_mhz", value(sm_clock_)}, {"memory_mhz", value(memory_clock_)}};
  if (failures_ > 0) json["failed_looks"] = fmt::format("{} of {}: {}", failures_, looks_ + failures_, failure_);
  const auto most = std::max_element(causes_.begin(), causes_.end(), [](const auto& one, const auto& other) {
    return one.second.times < other.second.times;
  });
  if (most != causes_.end()) json["cause"] = most->second.text;
  return json;
}

}  // namespace kgate::verdict
