#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/rules.h"

namespace kgate::bench {

// What a rule did in many trials of one model and effect. Sums only, so that it does not matter who counted what.
class Tally {
 public:
  void add(const Outcome& outcome);
  void add(const Tally& other);
  std::int64_t trials() const { return blocked + passed + undecided; }
  double share(std::int64_t count) const { return static_cast<double>(count) / static_cast<double>(trials()); }
  // The smallest number of samples that at least a share p of the trials did not exceed.
  std::int64_t samples(double p) const;

  std::int64_t blocked = 0, passed = 0, undecided = 0;

 private:
  std::vector<std::int64_t> by_samples_;
};

struct Cell {
  std::string rule, model;
  bool stated = true;
  double effect = 0;
  Tally tally;
};

struct Study {
  std::uint64_t seed = 1;
  std::int64_t trials = 20000;
  int threads = 1;
};

// All rules of the set on one model and effect: a cell a rule. Trial i has the random numbers of (seed, model, effect,
// i), so all rules meet the same machine, and neither the threads nor what else is run change a result.
std::vector<Cell> run_cells(const RuleSet& rules, const NoiseModel& model, double effect, const Study& study);

}  // namespace kgate::bench
