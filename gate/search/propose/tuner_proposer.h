#pragma once

#include <cstdint>

#include "gate/search/propose/proposer.h"

namespace kgate::search {

struct TunerProposerOptions {
  std::uint64_t seed = 1;
  std::size_t ahead = 4;  // proposals whose outcomes it does not know yet
};

// Values of [tunables] by Bayesian optimisation (gate/search/tuner): no network, no model, no cost. It learns from the
// versions whose source is that of the best: the version that somebody wrote, and what tuners have made of it. What
// did not compile, was wrong or had no room teaches too. Its state is the briefing, so a search that was killed goes on
// with the proposals that it would have had.
class TunerProposer : public Proposer {
 public:
  explicit TunerProposer(TunerProposerOptions options = {}) : options_(options) {}

  std::string name() const override { return "tuner"; }
  std::size_t ahead() const override { return options_.ahead; }
  Reply propose(const Briefing& briefing) override;

 private:
  TunerProposerOptions options_;
};

}  // namespace kgate::search
