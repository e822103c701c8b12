#include "gate/stats/partition.h"

#include <algorithm>
#include <cmath>

#include "base/philox.h"
#include "gate/stats/level.h"
#include "tests/support/catch.h"

using namespace kgate;
using Starts = std::vector<std::size_t>;

namespace {

// The least loss of one level for values [begin, end): between two neighbouring values +- bound it is a parabola of
// those within bound, so trying each of these means and each value is exact.
double loss_of(const std::vector<double>& values, std::size_t begin, std::size_t end, double bound) {
  std::vector<double> edges;
  for (std::size_t i = begin; i < end; ++i) edges.insert(edges.end(), {values[i] - bound, values[i] + bound});
  std::sort(edges.begin(), edges.end());
  double least = HUGE_VAL;
  for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
    const double inside = (edges[e] + edges[e + 1]) / 2;
    double sum = 0, kept = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (std::abs(values[i] - inside) >= bound) continue;
      sum += values[i];
      kept += 1;
    }
    if (kept == 0) continue;
    double loss = 0;
    for (std::size_t i = begin; i < end; ++i)
      loss += std::min((values[i] - sum / kept) * (values[i] - sum / kept), bound * bound);
    least = std::min(least, loss);
  }
  return least;
}

double loss_of(const std::vector<double>& values, const Starts& starts, const stats::PartitionOptions& options) {
  double loss = 0;
  for (std::size_t i = 0; i < starts.size(); ++i)
    loss += options.penalty +
            loss_of(values, starts[i], i + 1 < starts.size() ? starts[i + 1] : values.size(), options.bound);
  return loss;
}

// Every last segment for every end.
double least_loss(const std::vector<double>& values, const stats::PartitionOptions& options) {
  std::vector<double> least(values.size() + 1, HUGE_VAL);
  least[0] = 0;
  for (std::size_t end = 1; end <= values.size(); ++end) {
    for (std::size_t begin = 0; begin < end; ++begin)
      least[end] = std::min(least[end], least[begin] + options.penalty + loss_of(values, begin, end, options.bound));
  }
  return least.back();
}

}  // namespace

TEST_CASE("no partition is cheaper than the one found: all of them are tried on short series") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomStream random(seed, 0);
    std::vector<double> values;
    double level = 100;
    for (int i = 0; i < 30; ++i) {
      if (random.below(8) == 0) level += 6 * random.uniform() - 3;
      values.push_back(level + 3 * random.uniform() + (random.below(10) == 0 ? 25 : 0));
    }
    const stats::PartitionOptions options{3 + static_cast<double>(random.below(8)), 3};
    CAPTURE(seed);
    CHECK(loss_of(values, stats::partition(values, options), options) == Approx(least_loss(values, options)));
  }
}

TEST_CASE("levels are cut where they change, and a value far off starts none") {
  std::vector<double> values(40, 0.0);
  for (std::size_t i = 20; i < 40; ++i) values[i] = 5;
  CHECK(stats::partition(values, {}) == Starts{0, 20});
  values[10] = 1000;
  values[30] = -1000;
  CHECK(stats::partition(values, {}) == Starts{0, 20});
}

TEST_CASE("a series of one value, of equal ones or of none has no cuts") {
  CHECK(stats::partition({}, {}).empty());
  CHECK(stats::partition(std::vector<double>{7}, {}) == Starts{0});
  CHECK(stats::partition(std::vector<double>(50, 3.5), {}) == Starts{0});
}

TEST_CASE("a level is the mean of what lies near it") {
  const std::vector<double> values{1, 2, 3, 4, 100};
  const auto level = stats::level_of(values, 10);
  CHECK(level.center == Approx(2.5));
  CHECK(level.squares == Approx(5));
  CHECK(level.kept == 4);
  CHECK(stats::level_of({}, 1).kept == 0);
}
