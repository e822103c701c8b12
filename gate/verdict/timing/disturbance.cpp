#include "gate/verdict/timing/disturbance.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace kgate::verdict {
namespace {

using fingerprint::GpuProcess;
using fingerprint::GpuState;

// A look this far from a window says nothing about it.
constexpr double kFar = 1;  // seconds

constexpr std::array kBrakes{"hw_thermal_slowdown", "sw_thermal_slowdown", "hw_power_brake_slowdown", "hw_slowdown"};

using Iterator = std::deque<Look>::const_iterator;
struct Range {
  Iterator first, last;
  Iterator begin() const { return first; }
  Iterator end() const { return last; }
};

// The window's looks, with the last one before it and the first one after it: so even a window between two looks has
// some, and changes show that happened at its edges.
Range looks_of(const std::deque<Look>& looks, double from_s, double to_s) {
  Iterator first =
      std::upper_bound(looks.begin(), looks.end(), from_s, [](double at, const Look& look) { return at < look.at_s; });
  if (first != looks.begin() && std::prev(first)->at_s >= from_s - kFar) --first;
  Iterator last =
      std::lower_bound(first, looks.end(), to_s, [](const Look& look, double at) { return look.at_s < at; });
  if (last != looks.end() && last->at_s <= to_s + kFar) ++last;
  return {first, last};
}

template <typename Visit>
void for_each_process(const GpuState& state, const Visit& visit) {
  for (const auto* list : {&state.processes, &state.without_compute}) {
    for (const auto& process : *list) visit(process);
  }
}

// A process of others, as far as that can be told of a single one.
bool is_neighbour(const Ours& ours, unsigned pid, double at_s) {
  if (ours.recognised || !ours.began) return !is_ours(ours, pid, at_s);
  return ours.older.count(pid) != 0;
}

// The processes that came since ours began, less those that are ours.
std::size_t too_many(const Look& look, const Ours& ours) {
  if (ours.recognised || !ours.began) return 0;
  std::size_t came = 0;
  for_each_process(look.state, [&](const GpuProcess& process) { came += ours.older.count(process.pid) == 0 ? 1 : 0; });
  const auto living =
      static_cast<std::size_t>(std::count_if(ours.processes.begin(), ours.processes.end(), [&](const OwnProcess& own) {
        return own.from_s - kOwnGrace <= look.at_s && look.at_s <= own.to_s + kOwnGrace;
      }));
  return came > living ? came - living : 0;
}

std::string in_words(const Ours& ours, const GpuProcess& process, const std::string& what) {
  // Under a foreign number the name is another process's.
  const bool named = ours.recognised && !process.name.empty();
  return fmt::format("another process used the GPU: {}pid {}, {}{}", named ? process.name + " (" : "", process.pid,
                     what, named ? ")" : "");
}

std::string busy_neighbour(const Range& range, const Ours& ours) {
  const GpuProcess* most = nullptr;
  for (const auto& look : range) {
    for_each_process(look.state, [&](const GpuProcess& process) {
      const unsigned use = process.utilisation_percent.value_or(0);
      if (use > (most != nullptr ? *most->utilisation_percent : 0) && is_neighbour(ours, process.pid, look.at_s))
        most = &process;
    });
  }
  return most == nullptr ? "" : in_words(ours, *most, fmt::format("{} %", *most->utilisation_percent));
}

std::string changed_neighbour(const Range& range, const Ours& ours) {
  std::map<unsigned, const GpuProcess*> before;
  for (auto look = range.begin(); look != range.end(); ++look) {
    std::map<unsigned, const GpuProcess*> now;
    for_each_process(look->state, [&](const GpuProcess& process) {
      if (is_neighbour(ours, process.pid, look->at_s)) now[process.pid] = &process;
    });
    if (look != range.begin()) {
      for (const auto& [pid, process] : now) {
        const auto known = before.find(pid);
        if (known == before.end()) return in_words(ours, *process, "it came");
        if (known->second->memory_bytes != process->memory_bytes) return in_words(ours, *process, "its memory changed");
      }
      for (const auto& [pid, process] : before) {
        if (now.count(pid) == 0) return in_words(ours, *process, "it went");
      }
    }
    before = std::move(now);
  }
  return {};
}

std::string memory_errors(const Range& range) {
  std::optional<std::uint64_t> first, last;
  for (const auto& look : range) {
    if (!look.state.uncorrected_ecc_errors) continue;
    if (!first) first = look.state.uncorrected_ecc_errors;
    last = look.state.uncorrected_ecc_errors;
  }
  if (!first || *last <= *first) return {};
  return fmt::format("the GPU's memory had {} new uncorrected error(s)", *last - *first);
}

}  // namespace

bool is_ours(const Ours& ours, unsigned pid, double at_s) {
  return std::any_of(ours.processes.begin(), ours.processes.end(), [&](const OwnProcess& own) {
    return own.pid == pid && own.from_s - kOwnGrace <= at_s && at_s <= own.to_s + kOwnGrace;
  });
}

std::size_t neighbours(const Look& look, const Ours& ours) {
  std::size_t count = too_many(look, ours);
  for_each_process(look.state,
                   [&](const GpuProcess& process) { count += is_neighbour(ours, process.pid, look.at_s) ? 1 : 0; });
  return count;
}

std::string outside_brake(const GpuState& state) {
  const auto& reasons = state.throttle_reasons;
  for (const char* brake : kBrakes) {
    if (std::find(reasons.begin(), reasons.end(), brake) == reasons.end()) continue;
    return state.temperature_c ? fmt::format("{} at {} C", brake, *state.temperature_c) : brake;
  }
  return {};
}

std::string disturbance(const std::deque<Look>& looks, const Ours& ours, double from_s, double to_s) {
  const Range range = looks_of(looks, from_s, to_s);
  bool tells_utilisation = false;
  for (const auto& look : range) {
    if (const std::string brake = outside_brake(look.state); !brake.empty())
      return "the GPU was braked from outside: " + brake;
    tells_utilisation = tells_utilisation || look.state.tells_utilisation;
  }
  if (std::string errors = memory_errors(range); !errors.empty()) return errors;
  for (const auto& look : range) {
    if (const std::size_t more = too_many(look, ours); more > 0)
      return fmt::format("another process used the GPU: {} more came than kgate started", more);
  }
  if (!tells_utilisation) return changed_neighbour(range, ours);
  // What was used is told later, and looks before the window tell of what was before it.
  const Iterator after =
      std::upper_bound(looks.begin(), looks.end(), from_s, [](double at, const Look& look) { return at < look.at_s; });
  const Iterator told = std::lower_bound(after, looks.end(), to_s + kUtilisationSpan,
                                         [](const Look& look, double at) { return look.at_s < at; });
  return busy_neighbour({after, told}, ours);
}

bool power_capped(const std::deque<Look>& looks, double from_s, double to_s) {
  const Range range = looks_of(looks, from_s, to_s);
  return std::any_of(range.begin(), range.end(), [](const Look& look) {
    const auto& reasons = look.state.throttle_reasons;
    return std::find(reasons.begin(), reasons.end(), "sw_power_cap") != reasons.end();
  });
}

}  // namespace kgate::verdict
