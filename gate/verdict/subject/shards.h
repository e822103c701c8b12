#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kgate::verdict {

// One part of a run that several jobs share, as `--shard 3/8`: the third of eight.
struct Shard {
  std::int64_t index = 1, total = 1;
};

struct KernelCost {
  std::string name;
  std::int64_t us = 1;  // expected, at least 1
};

// The shard of each kernel, 1 to `shards`, in the order of `kernels`: longest processing time first (Graham 1969,
// "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17): the largest shard is at most 4/3 of what the
// best split has. Equal costs go by name, equally loaded shards by number, so that the order of `kernels` does not
// matter; with fewer kernels than shards the last shards have none. Names are unique.
std::vector<std::int64_t> split(const std::vector<KernelCost>& kernels, std::int64_t shards);

}  // namespace kgate::verdict
