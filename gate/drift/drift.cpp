#include "gate/drift/drift.h"

#include <charconv>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace kgate::drift {
namespace {

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const Hardware& hardware) {
  return {{"key", hardware.key},
          {"name", hardware.name},
          {"architecture", hardware.architecture},
          {"backend", hardware.backend},
          {"last_night", hardware.last_night}};
}

Json to_json(const Event& event) {
  Json differences = Json::array();
  for (const auto& one : event.differences) {
    differences.push_back({{"axis", one.axis},
                           {"field", one.field},
                           {"before", one.before},
                           {"after", one.after},
                           {"timing", one.timing}});
  }
  return {{"last_before", day_text(event.last_before)},
          {"night", day_text(event.day)},
          {"cause", name_of(event.cause)},
          {"differences", std::move(differences)},
          {"records", event.records},
          {"ratio", event.ratio},
          {"lowest", event.lowest},
          {"highest", event.highest},
          {"bound", event.bound},
          {"kernels", event.kernels},
          {"of_kernels", event.of_kernels}};
}

Json to_json(const Against& against) {
  return {{"what", against.what},
          {"sequence", against.sequence},
          {"release", against.release},
          {"day", day_text(against.day)},
          {"recorded_us", against.recorded_us ? Json(*against.recorded_us) : Json(nullptr)},
          {"ratio", against.ratio},
          {"low", against.low},
          {"high", number(against.high)},
          {"nights_then", against.nights_then},
          {"nights_now", against.nights_now},
          {"changed", against.changed}};
}

// Ten years of nights are a million points: columns, and what rarely changes as [first point, value].
Json to_json(const std::vector<Point>& points) {
  Json nights = Json::array(), us = Json::array(), accepted = Json::array(), compiled = Json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    nights.push_back(points[i].night);
    us.push_back(points[i].us);
    if (i == 0 || points[i].accepted != points[i - 1].accepted)
      accepted.push_back(Json::array({i, points[i].accepted}));
    if (i == 0 || points[i].compiled_here != points[i - 1].compiled_here)
      compiled.push_back(Json::array({i, points[i].compiled_here}));
  }
  return {{"night", std::move(nights)},
          {"us", std::move(us)},
          {"accepted", std::move(accepted)},
          {"compiled_here", std::move(compiled)}};
}

Json to_json(const Series& series) {
  Json changes = Json::array(), against = Json::array();
  for (const Change& one : series.changes) {
    changes.push_back({{"point", one.point},
                       {"last_before", day_text(one.last_before)},
                       {"first_after", day_text(one.first_after)},
                       {"ratio", one.ratio},
                       {"low", one.low},
                       {"high", one.high},
                       {"p", one.p},
                       {"nights_before", one.nights_before},
                       {"nights_after", one.nights_after},
                       {"event", one.event}});
  }
  for (const Against& one : series.against) against.push_back(to_json(one));
  return {{"name", series.name},           {"bound", series.bound},
          {"level_us", series.level_us},   {"points", to_json(series.points)},
          {"changes", std::move(changes)}, {"against", std::move(against)}};
}

Json to_json(const Kernel& kernel) {
  Json cases = Json::array();
  for (const Series& one : kernel.cases) cases.push_back(to_json(one));
  return {{"name", kernel.name},     {"verdict", verdict::name_of(kernel.verdict)},
          {"reason", kernel.reason}, {"cause", kernel.cause ? name_of(*kernel.cause) : ""},
          {"blocks", kernel.blocks}, {"cases", std::move(cases)}};
}

}  // namespace

const char* name_of(Cause cause) {
  switch (cause) {
    case Cause::version:
      return "version";
    case Cause::toolkit:
      return "toolkit";
    case Cause::machine:
      break;
  }
  return "machine";
}

Json to_json(const Drift& drift) {
  Json others = Json::array(), nights = Json::array(), events = Json::array(), kernels = Json::array();
  for (const Hardware& one : drift.others) others.push_back(to_json(one));
  for (const Night& one : drift.nights) {
    nights.push_back({{"time", one.time},
                      {"class", one.device_class},
                      {"driver", one.driver},
                      {"toolkit", one.toolkit},
                      {"origin", one.origin}});
  }
  for (const Event& one : drift.events) events.push_back(to_json(one));
  for (const Kernel& one : drift.kernels) kernels.push_back(to_json(one));
  Json appended = nullptr;
  if (const auto& one = drift.appended) {
    appended = {{"sequence", one->sequence},
                {"digest", one->digest},
                {"branch", one->branch},
                {"where", one->where},
                {"signers", one->signers}};
  }
  return {{"schema", "kgate.drift/1"},
          {"tool", {{"name", "kgate"}, {"version", drift.tool_version}, {"commit", drift.tool_commit}}},
          {"time", drift.time},
          {"profile", drift.profile},
          {"verdict", verdict::name_of(drift.verdict)},
          {"exit_code", drift.exit_code},
          {"reason", drift.reason},
          {"history", {{"branch", drift.branch}, {"sequence", drift.sequence}, {"digest", drift.digest}}},
          {"since", drift.since},
          {"hardware", to_json(drift.hardware)},
          {"others", std::move(others)},
          {"measured", drift.measured},
          {"appended", std::move(appended)},
          {"nights", std::move(nights)},
          {"events", std::move(events)},
          {"kernels", std::move(kernels)},
          {"notes", drift.notes}};
}

std::string day_text(std::int64_t day) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::optional<std::int64_t> day_from(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto number_at = [&](std::size_t at, std::size_t length) {
    int value = -1;
    const char* const begin = text.data() + at;
    const auto read = std::from_chars(begin, begin + length, value);
    return read.ec == std::errc() && read.ptr == begin + length && value >= 0 ? value : -1;
  };
  const int year = number_at(0, 4), month = number_at(5, 2), day = number_at(8, 2);
  if (year < 0 || month < 0 || day < 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

}  // namespace kgate::drift
