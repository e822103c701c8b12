#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bench/measured_space.h"

namespace kgate::bench {

// A replay of one optimiser: configurations are evaluated until the budget is spent. One that was evaluated before
// costs nothing, so no optimiser loses by asking twice.
class Replay {
 public:
  Replay(const MeasuredSpace& measured, std::size_t budget) : measured_(&measured), budget_(budget) {}

  const MeasuredSpace& measured() const { return *measured_; }
  bool is_over() const { return best_so_far_.size() >= budget_ || known_.size() >= measured_->times.size(); }
  // Its time; infinite where it failed, or where it is none of the space.
  double evaluate(const tuner::Configuration& configuration);
  // After each evaluation, over the best of the space; infinite before the first that ran.
  const std::vector<double>& best_so_far() const { return best_so_far_; }

 private:
  const MeasuredSpace* measured_;
  std::size_t budget_;
  std::map<tuner::Configuration, double> known_;
  std::vector<double> best_so_far_;
};

struct Optimiser {
  const char* name;
  void (*run)(Replay&, std::uint64_t seed);
};

// kgate's tuner, and what it is compared with: random draws without repetition; a genetic algorithm (20 individuals,
// tournaments of 3, uniform crossover, one mutation a child on average, the two best kept); simulated annealing
// (neighbours in one parameter, acceptance by the logarithms' difference, the temperature from 0.5 to 0.005 over 400
// evaluations, geometrically, and a new start where no neighbour was new 100 times).
const std::vector<Optimiser>& optimisers();

}  // namespace kgate::bench
