#include "bench/optimisers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bench/random.h"
#include "gate/search/tuner/tuner.h"

namespace kgate::bench {
namespace {

using tuner::Configuration;

constexpr double kFailed = std::numeric_limits<double>::infinity();

// What a comparator draws from: the measured configurations, and the parameters' sizes.
class Draws {
 public:
  Draws(const MeasuredSpace& measured, std::uint64_t seed) : random(seed, 1), measured_(&measured) {
    for (const auto& [configuration, time] : measured.times) all.push_back(configuration);
    for (const auto& [name, values] : measured.tunables) sizes.push_back(values.size());
  }
  const Configuration& any() { return all[random.below(all.size())]; }
  bool fits(const Configuration& one) const { return measured_->times.contains(one); }
  std::uint16_t value(std::size_t parameter) { return static_cast<std::uint16_t>(random.below(sizes[parameter])); }
  // Another value of one parameter, that was measured; nothing where a hundred draws find none.
  std::optional<Configuration> neighbour(const Configuration& of) {
    for (int tried = 0; tried < 100; ++tried) {
      Configuration one = of;
      const std::size_t parameter = random.below(sizes.size());
      one[parameter] = value(parameter);
      if (one != of && fits(one)) return one;
    }
    return std::nullopt;
  }

  Random random;
  std::vector<Configuration> all;
  std::vector<std::size_t> sizes;

 private:
  const MeasuredSpace* measured_;
};

void run_tuner(Replay& replay, std::uint64_t seed) {
  tuner::Tuner tuner(replay.measured().space(), {.seed = seed});
  while (!replay.is_over()) {
    const auto suggested = tuner.suggest();
    if (!suggested) return;
    const double time = replay.evaluate(*suggested);
    tuner.observe(*suggested, std::isfinite(time) ? tuner::Outcome(time) : std::nullopt);
  }
}

void run_random(Replay& replay, std::uint64_t seed) {
  Draws draws(replay.measured(), seed);
  while (!replay.is_over()) replay.evaluate(draws.any());
}

void run_genetic(Replay& replay, std::uint64_t seed) {
  constexpr std::size_t kIndividuals = 20, kTournament = 3, kKept = 2;
  Draws draws(replay.measured(), seed);
  using Individual = std::pair<double, Configuration>;
  std::vector<Individual> generation;
  const auto born = [&](const Configuration& one) { generation.emplace_back(replay.evaluate(one), one); };
  while (generation.size() < kIndividuals && !replay.is_over()) born(draws.any());
  while (!replay.is_over()) {
    std::sort(generation.begin(), generation.end());
    const std::vector<Individual> parents = std::exchange(generation, {});
    const auto chosen = [&]() -> const Configuration& {
      std::size_t best = parents.size() - 1;
      for (std::size_t i = 0; i < kTournament; ++i)
        best = std::min(best, std::size_t{draws.random.below(parents.size())});
      return parents[best].second;
    };
    generation.assign(parents.begin(), parents.begin() + kKept);
    while (generation.size() < kIndividuals && !replay.is_over()) {
      const Configuration &mother = chosen(), &father = chosen();
      Configuration child = mother;
      for (std::size_t i = 0; i < child.size(); ++i) {
        if (draws.random.chance(0.5)) child[i] = father[i];
        if (draws.random.chance(1.0 / static_cast<double>(child.size()))) child[i] = draws.value(i);
      }
      // A child that was never measured is none: a tuner would know the constraints.
      born(draws.fits(child) ? child : draws.neighbour(mother).value_or(draws.any()));
    }
  }
}

void run_annealing(Replay& replay, std::uint64_t seed) {
  constexpr double kHot = 0.5, kCold = 0.005, kEvaluations = 400;
  constexpr int kPatience = 100;
  Draws draws(replay.measured(), seed);
  Configuration at = draws.any();
  double time = replay.evaluate(at);
  int stale = 0;
  while (!replay.is_over()) {
    const std::size_t before = replay.best_so_far().size();
    const double way = std::min(1.0, static_cast<double>(before) / kEvaluations);
    const double temperature = kHot * std::pow(kCold / kHot, way);
    const Configuration next = stale < kPatience ? draws.neighbour(at).value_or(draws.any()) : draws.any();
    const double next_time = replay.evaluate(next);
    const bool is_new = replay.best_so_far().size() > before;
    const bool moves = stale >= kPatience || next_time <= time ||
                       draws.random.chance(std::exp(std::log(time / next_time) / temperature));
    stale = is_new || stale >= kPatience ? 0 : stale + 1;
    if (!moves) continue;
    at = next;
    time = next_time;
  }
}

}  // namespace

double Replay::evaluate(const Configuration& configuration) {
  if (const auto known = known_.find(configuration); known != known_.end()) return known->second;
  const auto measured = measured_->times.find(configuration);
  const double time = measured == measured_->times.end() ? kFailed : measured->second.value_or(kFailed);
  known_.emplace(configuration, time);
  best_so_far_.push_back(std::min(best_so_far_.empty() ? kFailed : best_so_far_.back(), time / measured_->best));
  return time;
}

const std::vector<Optimiser>& optimisers() {
  static const std::vector<Optimiser> kAll{{"tuner", run_tuner},
                                           {"random search", run_random},
                                           {"genetic algorithm", run_genetic},
                                           {"simulated annealing", run_annealing}};
  return kAll;
}

}  // namespace kgate::bench
