#include "gate/search/propose/request.h"

#include <map>
#include <utility>

namespace kgate::search {
namespace {

// The first `count` of what was tried, as {"count": n, "directions": {"tiling": {"slower": 3}}}.
Json counted(const Briefing& briefing, std::size_t count) {
  std::map<std::string, std::map<std::string, int>> directions;
  for (std::size_t i = 0; i < count; ++i) {
    const Tried& one = briefing.tried[i];
    ++directions[one.direction][std::string(name_of(one.outcome))];
  }
  return {{"count", count}, {"directions", directions}};
}

}  // namespace

std::string foreign_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<std::string> request_text(const Briefing& briefing, const Json& more, std::size_t most) {
  const Json whole = to_json(briefing);
  const auto without = [&](std::size_t oldest) {
    Json request = more;
    Json& told = request["briefing"] = whole;
    if (oldest > 0) {
      Json& tried = told["tried"];
      tried.erase(tried.begin(), tried.begin() + static_cast<std::ptrdiff_t>(oldest));
      told["tried_before"] = counted(briefing, oldest);
    }
    return foreign_json(request);
  };
  std::string text = without(0);
  if (text.size() <= most) return text;
  // The smallest number of them that must go, by bisection: [fits_not, fits).
  std::size_t fits_not = 0, fits = briefing.tried.size();
  std::string best = without(fits);
  if (best.size() > most) return std::nullopt;
  while (fits - fits_not > 1) {
    const std::size_t middle = fits_not + (fits - fits_not) / 2;
    text = without(middle);
    if (text.size() <= most) {
      fits = middle;
      best = std::move(text);
    } else {
      fits_not = middle;
    }
  }
  return best;
}

}  // namespace kgate::search
