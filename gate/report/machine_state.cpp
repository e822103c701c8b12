#include "gate/report/machine_state.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "gate/report/format.h"

namespace kgate::report {

std::string compact(const Json& json) {
  if (json.is_string()) return one_line(json.get<std::string>());
  if (json.is_number_float()) return value(json.get<double>());
  std::string text;
  if (json.is_object()) {
    for (const auto& [key, item] : json.items())
      text += (text.empty() ? "" : ", ") + one_line(key) + " " + compact(item);
    return text;
  }
  if (json.is_array()) {
    for (const Json& item : json) text += (text.empty() ? "" : ", ") + compact(item);
    return text.empty() ? "none" : text;
  }
  return one_line(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

namespace {

bool says_nothing(const Json& json) {
  return json.is_null() || json == "" || json == 0 || ((json.is_array() || json.is_object()) && json.empty());
}

// {min, max} as "40-42", in `unit`s of which `divisor` make one of the file's; anything else as it is.
std::string range(const Json& json, double divisor, const std::string& unit) {
  const bool is_range = json.is_object() && json.contains("min") && json.contains("max") && json["min"].is_number() &&
                        json["max"].is_number();
  if (!is_range) return compact(json);
  const std::string low = value(json["min"].get<double>() / divisor), high = value(json["max"].get<double>() / divisor);
  return (low == high ? low : low + "-" + high) + unit;
}

}  // namespace

std::string state_of(const Json& environment) {
  if (!environment.is_object()) return {};
  std::vector<std::string> parts;
  const auto add = [&](std::string name, const std::string& text) {
    std::replace(name.begin(), name.end(), '_', ' ');
    parts.push_back(one_line(name) + " " + text);
  };
  for (const auto& [key, item] : environment.items()) {
    if (says_nothing(item)) continue;
    if (key == "clocks" && item.is_object()) {
      for (const auto& [clock, speed] : item.items()) {
        const bool mhz = clock.size() > 4 && clock.compare(clock.size() - 4, 4, "_mhz") == 0;
        const std::string name = mhz ? clock.substr(0, clock.size() - 4) + " clock" : clock;
        if (!says_nothing(speed)) add(name, range(speed, 1, mhz ? " MHz" : ""));
      }
    } else if (key == "power") {
      add(key, range(item, 1000, " W"));
    } else {
      add(key, range(item, 1, key == "temperature" ? " C" : ""));
    }
  }
  return list(parts);
}

std::vector<std::string> device_lines(const verdict::Result& result) {
  std::vector<std::string> lines;
  for (const auto& one : result.devices) {
    std::string line =
        fmt::format("{}: {} in {:.1f} s", one_line(one.uuid.empty() ? one.name : one.uuid),
                    count(static_cast<std::size_t>(std::max<std::int64_t>(one.kernels, 0)), "kernel"), one.seconds);
    if (one.wait_s >= 0.1) line += fmt::format(", waited {:.1f} s", one.wait_s);
    if (const std::string state = state_of(one.environment); !state.empty()) line += "; " + state;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace kgate::report
