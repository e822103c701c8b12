#pragma once

#include <cstddef>
#include <optional>
#include <set>

// Which versions to look at, so that few looks find the one that brought something. Nothing here knows of commits.
namespace kgate::verdict {

// What a look says about a version: before it came, after it, or nothing (it cannot be measured).
enum class Side { good, bad, unknown };

// Versions 0 ... count - 1, the oldest first; the last is bad. Halves what is left with every version that tells its
// side: ceil(log2(candidates)) looks. One that tells nothing costs further ones, at growing distances beside it, since
// such versions stand together more often than not: a stretch of n of them costs about 2 log2(n) looks to come round.
class Search {
 public:
  // Versions of the unknown kind that are looked at before the search gives up.
  static constexpr std::size_t kMostUnknown = 32;
  // `first_is_good`: version 0 is known not to have it; else that is a candidate like the others.
  Search(std::size_t count, bool first_is_good);

  // The next version to look at; none: the search is over.
  std::optional<std::size_t> next() const;
  void put(std::size_t version, Side side);

  // It came with one of versions good() + 1 ... bad(), or, where none is good, with one of 0 ... bad().
  std::optional<std::size_t> good() const;
  std::size_t bad() const { return static_cast<std::size_t>(bad_); }
  std::size_t candidates() const { return static_cast<std::size_t>(bad_ - good_); }

 private:
  using Place = std::ptrdiff_t;
  Place beside(Place first, Place last) const;
  Place inside() const;

  Place good_, bad_;         // -1: no good one is known
  std::set<Place> unknown_;  // between them
  std::size_t seen_unknown_ = 0;
};

// A factor of time against the good end, with its bounds.
struct Ratio {
  double value = 1, low = 1, high = 1;
};

// How much slower `after` is than `before`, both measured against the same; their errors are independent.
Ratio rise(const Ratio& before, const Ratio& after);

// The side of a version where a slowdown is looked for between two that were measured: bad where more than half of the
// way (in ln) was gone with it. With one step that is what the verdict says, with the most room for error on both
// sides; of several the search goes after the larger part each time, and a step that is larger than all others together
// is found. `settled`: its verdict is not `inconclusive`. Else it has a side where its whole interval has one.
Side halfway(const Ratio& one, bool settled, const Ratio& good, const Ratio& bad);

}  // namespace kgate::verdict
