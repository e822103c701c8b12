// Problem: find the version that brought something among up to thousands, where a look costs seconds of a GPU and some
// versions tell nothing. Choice: halving; around versions that tell nothing it gallops, by the length of what is known
// to be such a stretch, and never further than the middle of what is left beside it, so that a single one costs one
// look and a long stretch a few. What lies inside a stretch is looked at last. Rejected: to weigh versions by how
// likely they are the culprit (lines changed, authors): a prior that is wrong costs more than it gains, and nobody can
// follow it; git's pseudo-random jumps, for the same reason: two bisections of one range would take two ways.
#include "gate/verdict/bisect/search.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace kgate::verdict {

Search::Search(std::size_t count, bool first_is_good)
    : good_(first_is_good ? 0 : -1), bad_(static_cast<Place>(count) - 1) {
  if (bad_ <= good_) throw Error(ErrorKind::internal, "bisection", "there is nothing to search");
}

std::optional<std::size_t> Search::next() const {
  if (bad_ - good_ <= 1) return std::nullopt;
  const Place middle = good_ + (bad_ - good_) / 2;
  if (unknown_.empty()) return static_cast<std::size_t>(middle);
  if (seen_unknown_ >= kMostUnknown) return std::nullopt;
  const Place first = *unknown_.begin(), last = *unknown_.rbegin();
  const bool outside = middle < first || middle > last;
  const Place place = outside ? middle : beside(first, last);
  if (place != good_) return static_cast<std::size_t>(place);
  const Place left = inside();
  return left == good_ ? std::nullopt : std::optional(static_cast<std::size_t>(left));
}

// Beside what is taken for a stretch, where more is left; `good_`: nothing is, on either side.
Search::Place Search::beside(Place first, Place last) const {
  const Place left = first - good_ - 1, right = bad_ - last - 1, width = last - first + 1;
  if (left == 0 && right == 0) return good_;
  return right >= left ? last + std::min(width, (right + 1) / 2) : first - std::min(width, (left + 1) / 2);
}

// The middle of the longest part of the stretch that was not looked at; `good_`: there is none.
Search::Place Search::inside() const {
  Place best = good_, longest = 1, before = *unknown_.begin();
  for (const Place one : unknown_) {
    if (one - before > longest) {
      longest = one - before;
      best = before + longest / 2;
    }
    before = one;
  }
  return best;
}

void Search::put(std::size_t version, Side side) {
  const auto place = static_cast<Place>(version);
  if (place <= good_ || place >= bad_) throw Error(ErrorKind::internal, "bisection", "was not asked for this version");
  if (side == Side::unknown) {
    unknown_.insert(place);
    ++seen_unknown_;
    return;
  }
  (side == Side::good ? good_ : bad_) = place;
  unknown_.erase(unknown_.begin(), unknown_.upper_bound(good_));
  unknown_.erase(unknown_.lower_bound(bad_), unknown_.end());
}

std::optional<std::size_t> Search::good() const {
  return good_ < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(good_));
}

Ratio rise(const Ratio& before, const Ratio& after) {
  const auto half = [](const Ratio& one) { return std::log(one.high / std::max(one.low, 1e-6)) / 2; };
  const double middle = std::log(after.value / before.value), error = std::hypot(half(before), half(after));
  return {std::exp(middle), std::exp(middle - error), std::exp(middle + error)};
}

Side halfway(const Ratio& one, bool settled, const Ratio& good, const Ratio& bad) {
  const double middle = std::sqrt(good.value * bad.value);
  if (!settled && one.low <= middle && one.high >= middle) return Side::unknown;
  return one.value > middle ? Side::bad : Side::good;
}

}  // namespace kgate::verdict
