#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kgate::bench {

// The rank-sum test of two samples of fixed sizes (Mann and Whitney 1947, "On a test of whether one of two random
// variables is stochastically larger than the other", Annals of Mathematical Statistics 18).
class MannWhitney {
 public:
  // Sizes of at least 1. Works out U's exact distribution by the paper's recursion on sizes.
  MannWhitney(std::int64_t first, std::int64_t second);

  // How many pairs (a, b) have b larger, a tie counting half.
  double u(std::span<const double> a, std::span<const double> b) const;
  // Two-sided: the chance of a U at least as far from its middle. Exact where no two values are equal, else by the
  // normal approximation with the correction for ties and for continuity.
  double p_value(std::span<const double> a, std::span<const double> b) const;
  // P(U <= u) where the samples are alike, without ties.
  double cumulative(std::int64_t u) const;
  // The largest U that is significant at a two-sided level, as tables give it; -1 where none is.
  std::int64_t critical(double level) const;

 private:
  struct Ranked {
    double u = 0, ties = 0;  // ties: the sum of t^3 - t over groups of t equal values
  };
  Ranked rank(std::span<const double> a, std::span<const double> b) const;

  std::int64_t first_, second_;
  std::vector<double> cumulative_;
};

}  // namespace kgate::bench
