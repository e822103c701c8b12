#include "gate/drift/events.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

namespace kgate::drift {
namespace {

// How far apart changes that nothing explains may be dated and still be one: each is, within two nights, when it was.
constexpr std::int64_t kSameNight = 4;

std::string text_of(const std::vector<fingerprint::Difference>& differences) {
  std::string text;
  for (const auto& one : differences)
    text += fmt::format("{}.{}: {} -> {}\n", one.axis, one.field, one.before, one.after);
  return text;
}

}  // namespace

struct EventMaker::Group {
  std::size_t night = 0;  // in nights_: the first with what is new
  std::vector<const Explained*> members;
};

// The night on which what explains a change is there for the first time, for others too: this kernel may have missed
// it.
std::size_t EventMaker::night_of(const Explained& one, Attribution& attribution) const {
  const auto& points = one.series->points;
  const std::size_t boundary = one.why->boundary;
  const std::size_t before = points[boundary - 1].night, after = points[boundary].night;
  if (one.why->cause == Cause::version || one.why->differences.empty()) return after;
  const auto& wanted = one.why->differences.front();
  for (std::size_t night = before + 1; night < after; ++night) {
    for (const auto& found : attribution.between(before, night)) {
      if (found.axis == wanted.axis && found.field == wanted.field && found.after == wanted.after) return night;
    }
  }
  return after;
}

std::vector<Event> EventMaker::events(Attribution& attribution) {
  struct Key {
    Cause cause;
    bool slower;
    std::size_t night;
    std::string differences;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, Group> explained;
  std::vector<std::pair<std::size_t, const Explained*>> others;
  for (const Explained& one : changes_) {
    const std::size_t night = night_of(one, attribution);
    if (one.why->cause == Cause::machine && one.why->differences.empty()) {
      others.emplace_back(night, &one);
      continue;
    }
    Group& group = explained[{one.why->cause, one.change->ratio > 1, night,
                              one.why->cause == Cause::version ? "" : text_of(one.why->differences)}];
    group.night = night;
    group.members.push_back(&one);
  }
  std::vector<Group> groups;
  for (auto& [key, group] : explained) groups.push_back(std::move(group));
  for (const bool slower : {true, false}) {
    std::vector<std::pair<std::size_t, const Explained*>> these;
    std::copy_if(others.begin(), others.end(), std::back_inserter(these),
                 [&](const auto& one) { return (one.second->change->ratio > 1) == slower; });
    std::stable_sort(these.begin(), these.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t begin = 0; begin < these.size();) {
      std::size_t end = begin;
      Group group;
      while (end < these.size() && nights_[these[end].first].day <= nights_[these[begin].first].day + kSameNight)
        group.members.push_back(these[end++].second);
      group.night = these[begin + (end - begin) / 2].first;
      groups.push_back(std::move(group));
      begin = end;
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.night > b.night; });
  std::vector<Event> events;
  for (const Group& group : groups) {
    for (const Explained* one : group.members) one->change->event = events.size();
    events.push_back(event_of(group));
  }
  return events;
}

Event EventMaker::event_of(const Group& group) const {
  Event event;
  const Explained& first = *group.members.front();
  event.day = nights_[group.night].day;
  event.last_before = group.night == 0 ? event.day : nights_[group.night - 1].day;
  event.cause = first.why->cause;
  event.differences = first.why->differences;
  event.lowest = event.highest = first.change->ratio;
  event.bound = first.series->bound;
  std::map<std::string, std::pair<double, int>> logs;
  std::set<std::int64_t> records;
  for (const Explained* one : group.members) {
    const double ratio = one->change->ratio;
    auto& [sum, count] = logs[one->kernel->name];
    sum += std::log(ratio);
    ++count;
    event.lowest = std::min(event.lowest, ratio);
    event.highest = std::max(event.highest, ratio);
    if (one->series->bound != event.bound) event.bound.clear();
    if (one->why->record != 0) records.insert(one->why->record);
  }
  double sum = 0;
  for (const auto& [kernel, log] : logs) {
    event.kernels.push_back(kernel);
    sum += log.first / log.second;
  }
  event.ratio = std::exp(sum / static_cast<double>(logs.size()));
  event.records.assign(records.begin(), records.end());
  event.of_kernels = std::max(kernels_across(event.last_before, event.day), event.kernels.size());
  return event;
}

std::size_t EventMaker::kernels_across(std::int64_t last_before, std::int64_t day) const {
  const auto has = [&](const Series& series) {
    return !series.points.empty() && series.points.front().day <= last_before && series.points.back().day >= day;
  };
  return static_cast<std::size_t>(std::count_if(kernels_.begin(), kernels_.end(), [&](const Kernel& kernel) {
    return std::any_of(kernel.cases.begin(), kernel.cases.end(), has);
  }));
}

std::string why_of(const Event& event) {
  if (event.cause == Cause::version) {
    return fmt::format("{} {} accepted", event.records.size() == 1 ? "record" : "records",
                       fmt::join(event.records, ", "));
  }
  if (event.differences.empty()) return "nothing that kgate records changed: the machine";
  const auto& first = event.differences.front();
  const std::string what = first.field == "version" ? first.axis : first.axis + "." + first.field;
  std::string text = fmt::format("{} {} -> {}", what, first.before, first.after);
  if (event.differences.size() > 1) text += fmt::format(" and {} more", event.differences.size() - 1);
  return text;
}

}  // namespace kgate::drift
