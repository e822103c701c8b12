#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "gate/search/tuner/distance.h"
#include "gate/search/tuner/estimate.h"
#include "gate/search/tuner/evidence.h"
#include "gate/search/tuner/pool.h"
#include "gate/search/tuner/posterior.h"
#include "gate/search/tuner/space.h"

namespace kgate::tuner {

// A time, in any unit that stays the same; nothing: the configuration failed (did not compile, was wrong).
using Outcome = std::optional<double>;

struct TunerOptions {
  std::uint64_t seed = 1;               // the same seed, space and outcomes: the same suggestions
  std::size_t most_candidates = 16384;  // that the model is asked about
};

// Bayesian optimisation over a discrete space (docs/search-tuner.md): finds a fast configuration in few evaluations.
// Suggestions may be asked for before the outcomes of earlier ones are known.
class Tuner {
 public:
  explicit Tuner(Space space, TunerOptions options = {});
  Tuner(const Tuner&) = delete;  // the pool refers to the space
  Tuner& operator=(const Tuner&) = delete;

  // A feasible configuration that was neither suggested nor observed; nothing where none is left (or found: pool.h).
  std::optional<Configuration> suggest();
  // It will be observed, though it was not suggested here: not suggested any more, and explored as if it were.
  void expect(const Configuration& configuration);
  // Of a suggestion or of any other configuration, before the first suggestion too; of one that was observed before,
  // the later outcome counts. Throws Error(internal) where the configuration is none of the space, or its time is not
  // finite or not above 0.
  void observe(const Configuration& configuration, Outcome outcome);

  const Space& space() const { return space_; }
  // The fastest that was observed; nothing before the first that did not fail.
  std::optional<Configuration> best() const;
  std::optional<double> best_time() const;
  // What the model expected of a suggestion when it made it; nothing for what it did not suggest, or drew at random.
  std::optional<Estimate> estimate(const Configuration& configuration) const;

 private:
  struct Asked {
    Configuration configuration;
    bool is_known = false;
    Outcome outcome;
    std::optional<Estimate> estimate;
  };

  // What the model is given: a value for each that was asked for, and the indices of those that are not known yet.
  struct Values {
    Eigen::VectorXd all;
    std::vector<Eigen::Index> pending;
  };

  Values values() const;
  Asked& enter(const Configuration& configuration);
  const Asked* best_asked() const;
  void fit();
  void update();

  Space space_;
  std::vector<Distance> distances_;
  std::uint64_t seed_;
  Pool pool_;
  std::vector<Asked> asked_;  // in order; all of them are points of the model
  std::map<Configuration, std::size_t> index_;
  Hyperparameters hyperparameters_;
  std::size_t fitted_ = 0;  // of how many points they are
  std::optional<Posterior> posterior_;
  std::optional<Configuration> surrounded_;  // whose neighbours are candidates
};

}  // namespace kgate::tuner
