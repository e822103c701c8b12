#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gate/search/propose/proposer.h"

namespace kgate::search {

struct TunerProposerOptions {
  std::uint64_t seed = 1;
  std::size_t ahead = 4;  // proposals whose outcomes it does not know yet
  // Whether these values of the best version's tunables can run on the device, on paper. Those that cannot are never
  // proposed. Empty: all can.
  std::function<bool(const Briefing&, const std::map<std::string, std::string>& values)> feasible;
};

// Values of [tunables] by Bayesian optimisation (gate/search/tuner): no network, no model, no cost. It learns from the
// versions whose source is that of the best: the version that somebody wrote, and what tuners have made of it. What
// did not compile, was wrong or had no room teaches too. All that it knows is the briefing (what it keeps is looked up
// once and not again), so a search that was killed goes on with the proposals that it would have had.
class TunerProposer : public Proposer {
 public:
  explicit TunerProposer(TunerProposerOptions options = {}) : options_(std::move(options)) {}

  std::string name() const override { return "tuner"; }
  std::size_t ahead() const override { return options_.ahead; }
  Reply propose(const Briefing& briefing) override;

 private:
  Reply suggest(const Briefing& briefing);
  bool feasible(const Briefing& briefing, const std::vector<std::uint16_t>& configuration);

  TunerProposerOptions options_;
  // What `feasible` said of the settings of this version, by their places in the lists: a large space is asked about as
  // a whole, each time.
  std::string asked_of_;
  std::map<std::vector<std::uint16_t>, bool> feasible_;
};

}  // namespace kgate::search
