#include "gate/verdict/subject/shards.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace kgate::verdict {

std::vector<std::int64_t> split(const std::vector<KernelCost>& kernels, std::int64_t shards) {
  std::vector<std::size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(kernels[b].us, kernels[a].name) < std::tie(kernels[a].us, kernels[b].name);
  });
  // The least loaded shard first, and of equals the lowest number.
  using Load = std::pair<std::int64_t, std::int64_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::int64_t shard = 1; shard <= shards; ++shard) loads.emplace(0, shard);
  std::vector<std::int64_t> shard_of(kernels.size(), 1);
  for (const std::size_t i : order) {
    const auto [load, shard] = loads.top();
    loads.pop();
    shard_of[i] = shard;
    loads.emplace(load + std::max<std::int64_t>(kernels[i].us, 1), shard);
  }
  return shard_of;
}

}  // namespace kgate::verdict
