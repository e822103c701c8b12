#include "gate/drift/attribution.h"

#include <algorithm>
#include <array>

#include "fingerprint/timing_effects.h"

namespace kgate::drift {
namespace {

using fingerprint::Difference;

constexpr std::array<int, 5> kShifts{0, -1, 1, -2, 2};
constexpr std::size_t kLasting = 3;  // nights on each side that what is new has to part

// Farther out the same field differs, and not the other way round: two upgrades in a row are no to and fro.
bool goes_on(const Difference& one, const Difference& farther) {
  return one.axis == farther.axis && one.field == farther.field &&
         (one.before == farther.before || one.after == farther.after);
}

// The record that came into use there and stayed; 0: none.
std::int64_t new_record(const std::vector<Point>& points, std::size_t boundary) {
  const std::int64_t before = points[boundary - 1].accepted, after = points[boundary].accepted;
  return before != after && before != 0 && after != 0 ? after : 0;
}

}  // namespace

const std::vector<Difference>& Attribution::between(std::size_t before, std::size_t after) {
  const Json* const one = fingerprints_[before].get();
  const Json* const other = fingerprints_[after].get();
  const auto [place, is_new] = known_.try_emplace({one, other});
  if (is_new && one != other) {
    for (Difference& difference : fingerprint::compare(*one, *other).differences) {
      // The other backend's compiler makes none of this one's code.
      const bool host_compiler = difference.field.rfind("host_compiler", 0) == 0;
      if (difference.axis == "toolkit" && host_compiler != (backend_ == "host")) continue;
      if (fingerprint::may_change_times(difference.axis, difference.field))
        place->second.push_back(std::move(difference));
    }
  }
  return place->second;
}

std::vector<Difference> Attribution::lasting_at(const std::vector<Point>& points, std::size_t boundary) {
  std::vector<Difference> found = between(points[boundary - 1].night, points[boundary].night);
  for (std::size_t k = 1; k < kLasting && !found.empty(); ++k) {
    const std::size_t before = boundary - 1 - std::min(k, boundary - 1);
    const std::size_t after = std::min(boundary + k, points.size() - 1);
    const auto& farther = between(points[before].night, points[after].night);
    std::erase_if(found, [&](const Difference& one) {
      return std::none_of(farther.begin(), farther.end(), [&](const auto& other) { return goes_on(one, other); });
    });
  }
  // Recorded machine code is what it was, whatever compiles today.
  if (!points[boundary].compiled_here)
    std::erase_if(found, [](const Difference& one) { return one.axis == "toolkit"; });
  return found;
}

Explanation Attribution::explain(const std::vector<Point>& points, std::size_t change) {
  for (const int shift : kShifts) {
    const auto boundary = static_cast<std::ptrdiff_t>(change) + shift;
    if (boundary < 1 || boundary >= static_cast<std::ptrdiff_t>(points.size())) continue;
    Explanation found;
    found.boundary = static_cast<std::size_t>(boundary);
    found.record = new_record(points, found.boundary);
    found.differences = lasting_at(points, found.boundary);
    if (found.record == 0 && found.differences.empty()) continue;
    const bool by_toolkit = std::all_of(found.differences.begin(), found.differences.end(),
                                        [](const Difference& one) { return one.axis == "toolkit"; });
    found.cause = found.record != 0 ? Cause::version : by_toolkit ? Cause::toolkit : Cause::machine;
    return found;
  }
  return {Cause::machine, change, {}, 0};
}

}  // namespace kgate::drift
