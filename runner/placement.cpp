#include "runner/placement.h"

#include <algorithm>
#include <numeric>

namespace kgate::runner {

std::vector<std::uint64_t> draw_places(const std::vector<std::uint64_t>& sizes, std::uint64_t pool_bytes,
                                       Placement placement, RandomStream& random) {
  const std::uint64_t step = placement == Placement::segment ? 2u << 20 : 4096;
  const std::uint64_t slots = pool_bytes < step ? 0 : pool_bytes / step - 1;  // the first one stays free
  std::vector<std::uint64_t> needed(sizes.size());
  std::transform(sizes.begin(), sizes.end(), needed.begin(),
                 [step](std::uint64_t bytes) { return (bytes + step - 1) / step; });
  const std::uint64_t used = std::accumulate(needed.begin(), needed.end(), std::uint64_t{0});
  if (used > slots) return {};

  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::uint64_t> gaps(sizes.size(), 0);
  if (placement != Placement::fixed) {
    random.shuffle(order);
    // n sorted draws from 0 .. free are the free room before each buffer: every split is as likely as any other (draws
    // with repetition favour equal gaps a little less; of no matter at the pool's 10^6 steps).
    for (auto& gap : gaps) gap = random.below(slots - used + 1);
    std::sort(gaps.begin(), gaps.end());
  }
  std::vector<std::uint64_t> places(sizes.size());
  std::uint64_t taken = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    places[order[i]] = (1 + gaps[i] + taken) * step;
    taken += needed[order[i]];
  }
  return places;
}

}  // namespace kgate::runner
