#include "gate/verdict/subject/shards.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/philox.h"
#include "tests/support/catch.h"

using namespace kgate;
using verdict::KernelCost;

namespace {

std::map<std::string, std::int64_t> by_name(const std::vector<KernelCost>& kernels, std::int64_t shards) {
  std::map<std::string, std::int64_t> found;
  const auto shard_of = verdict::split(kernels, shards);
  for (std::size_t i = 0; i < kernels.size(); ++i) found[kernels[i].name] = shard_of[i];
  return found;
}

std::int64_t largest(const std::vector<KernelCost>& kernels, const std::vector<std::int64_t>& shard_of) {
  std::map<std::int64_t, std::int64_t> loads;
  for (std::size_t i = 0; i < kernels.size(); ++i) loads[shard_of[i]] += kernels[i].us;
  std::int64_t most = 0;
  for (const auto& [shard, load] : loads) most = std::max(most, load);
  return most;
}

// By trying every split.
std::int64_t best(const std::vector<KernelCost>& kernels, std::int64_t shards) {
  std::vector<std::int64_t> shard_of(kernels.size(), 1);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (;;) {
    least = std::min(least, largest(kernels, shard_of));
    std::size_t i = 0;
    while (i < shard_of.size() && shard_of[i] == shards) shard_of[i++] = 1;
    if (i == shard_of.size()) return least;
    ++shard_of[i];
  }
}

std::vector<KernelCost> drawn(RandomStream& random, std::size_t count, std::uint64_t most) {
  std::vector<KernelCost> kernels;
  for (std::size_t i = 0; i < count; ++i)
    kernels.push_back({"k" + std::to_string(i), static_cast<std::int64_t>(random.below(most)) + 1});
  return kernels;
}

}  // namespace

TEST_CASE("the longest kernels go first, each to the shard that has least; equals by name") {
  CHECK(by_name({{"a", 5}, {"b", 4}, {"c", 3}, {"d", 3}, {"e", 3}}, 2) ==
        std::map<std::string, std::int64_t>{{"a", 1}, {"b", 2}, {"c", 2}, {"d", 1}, {"e", 2}});
}

TEST_CASE("a split is the same in whatever order the kernels come") {
  RandomStream random(7, 1);
  auto kernels = drawn(random, 40, 6);  // with many equals
  const auto expected = by_name(kernels, 7);
  for (int i = 0; i < 50; ++i) {
    random.shuffle(kernels);
    CHECK(by_name(kernels, 7) == expected);
  }
}

TEST_CASE("the largest shard is within 4/3 of what the best split has") {
  RandomStream random(7, 2);
  for (int i = 0; i < 60; ++i) {
    const auto shards = static_cast<std::int64_t>(random.below(3)) + 2;
    const auto kernels = drawn(random, random.below(7) + 1, 50);
    CHECK(3 * largest(kernels, verdict::split(kernels, shards)) <= 4 * best(kernels, shards));
  }
}

TEST_CASE("with more shards than kernels each kernel has one of its own, and the last shards have none") {
  CHECK(by_name({{"b", 1}, {"a", 1}, {"c", 9}}, 8) ==
        std::map<std::string, std::int64_t>{{"c", 1}, {"a", 2}, {"b", 3}});
  CHECK(verdict::split({}, 8).empty());
}

TEST_CASE("kernels without a cost are spread as if each had one") {
  CHECK(by_name({{"a", 0}, {"b", 0}, {"c", 0}}, 3) ==
        std::map<std::string, std::int64_t>{{"a", 1}, {"b", 2}, {"c", 3}});
}
