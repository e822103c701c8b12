#include "bench/mann_whitney.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "bench/random.h"
#include "tests/support/catch.h"

using namespace kgate::bench;

namespace {

double u_by_pairs(const std::vector<double>& a, const std::vector<double>& b) {
  double u = 0;
  for (const double x : a) {
    for (const double y : b) u += y > x ? 1 : y == x ? 0.5 : 0;
  }
  return u;
}

// The slow oracle: every way to share out the ranks 1 .. m + n, counted by hand.
double cumulative_by_counting(int m, int n, int u) {
  std::vector<bool> of_b(static_cast<std::size_t>(m + n), false);
  std::fill(of_b.end() - n, of_b.end(), true);
  double ways = 0, all = 0;
  do {
    int larger = 0, seen = 0;
    for (const bool b : of_b) b ? larger += seen : ++seen;
    ways += larger <= u ? 1 : 0;
    all += 1;
  } while (std::next_permutation(of_b.begin(), of_b.end()));
  return ways / all;
}

}  // namespace

TEST_CASE("U counts the pairs in which the second sample is larger, ties by half") {
  CHECK(MannWhitney(3, 2).u(std::vector<double>{1, 2, 3}, std::vector<double>{2, 4}) == 1.5 + 3);
  Random random(1, 0);
  for (int i = 0; i < 50; ++i) {
    std::vector<double> a, b;
    for (int k = 0; k < 7; ++k) a.push_back(static_cast<double>(random.below(9)));
    for (int k = 0; k < 5; ++k) b.push_back(static_cast<double>(random.below(9)));
    CHECK(MannWhitney(7, 5).u(a, b) == u_by_pairs(a, b));
  }
}

TEST_CASE("the distribution of U is what counting every order gives") {
  for (const auto& [m, n] : std::vector<std::pair<int, int>>{{1, 1}, {1, 6}, {2, 3}, {4, 4}, {5, 3}, {7, 6}, {8, 8}}) {
    const MannWhitney test(m, n);
    for (int u = -1; u <= m * n; ++u) {
      INFO(m << " and " << n << ", U <= " << u);
      CHECK(std::abs(test.cumulative(u) - (u < 0 ? 0 : cumulative_by_counting(m, n, u))) < 1e-12);
    }
  }
}

TEST_CASE("the critical values are the published ones") {
  struct Row {
    int first, second;
    double level;
    int critical;
  };
  // Two-sided, as in the tables of statistics textbooks (after Milton 1964, Journal of the American Statistical
  // Association 59); -1 stands for the tables' dash.
  for (const auto& [first, second, level, critical] : std::array<Row, 12>{{{3, 3, 0.05, -1},
                                                                           {4, 4, 0.05, 0},
                                                                           {5, 5, 0.05, 2},
                                                                           {3, 5, 0.05, 0},
                                                                           {5, 8, 0.05, 6},
                                                                           {8, 8, 0.05, 13},
                                                                           {7, 10, 0.05, 14},
                                                                           {10, 10, 0.05, 23},
                                                                           {20, 20, 0.05, 127},
                                                                           {5, 5, 0.01, 0},
                                                                           {10, 10, 0.01, 16},
                                                                           {20, 20, 0.01, 105}}}) {
    INFO(first << " and " << second << " at " << level);
    CHECK(MannWhitney(first, second).critical(level) == critical);
  }
}

TEST_CASE("p-values are two-sided, exact without ties and near to exact with few of them") {
  const std::vector<double> low{1, 2, 3, 4, 5}, high{6, 7, 8, 9, 10};
  CHECK(std::abs(MannWhitney(5, 5).p_value(low, high) - 2.0 / 252) < 1e-12);
  CHECK(std::abs(MannWhitney(5, 5).p_value(high, low) - 2.0 / 252) < 1e-12);
  CHECK(MannWhitney(5, 5).p_value(low, low) == 1);
  CHECK(MannWhitney(3, 3).p_value(std::vector<double>{2, 2, 2}, std::vector<double>{2, 2, 2}) == 1);
  std::vector<double> a, b;
  for (int i = 0; i < 30; ++i) {
    a.push_back(i);
    b.push_back(i + 6.5);
  }
  const double exact = MannWhitney(30, 30).p_value(a, b);
  a[1] = a[0];  // one tie: the approximation now
  CHECK(std::abs(MannWhitney(30, 30).p_value(a, b) - exact) < 0.002);
}
